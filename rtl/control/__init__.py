"""The controller: it rebuilds all commands from a way-point program, and sends them as packets."""
