"""Settings of every test: random tests draw the same examples in every run of one release."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,  # shared machines: a slow example is no fault
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")
