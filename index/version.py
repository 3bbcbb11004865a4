"""The version of the program: what people see, and what releases are called."""

VERSION = "0.1.0"
