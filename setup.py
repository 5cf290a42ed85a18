"""The one compiled part: the native routing engine, left out where no C++ compiler is found."""

from pathlib import Path

from setuptools import Extension, setup

NATIVE = Path("dtt/native")

setup(
    ext_modules=[
        Extension(
            "dtt.native._kernel",
            sources=[str(NATIVE / "kernel.cpp")],
            depends=[str(header) for header in sorted(NATIVE.glob("*.h"))],
            # What only the kernel calls is hidden: calls are inlined, or at least direct.
            extra_compile_args=["-std=c++17", "-O3", "-g0", "-fvisibility=hidden"],
            language="c++",
            optional=True,
        )
    ]
)
