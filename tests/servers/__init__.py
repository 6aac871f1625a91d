"""Real servers for tests: a scriptable one in a thread, and published ones as processes on a free port."""
