"""An MCP server on standard input and output: evaluations of judges and readings of cards, for an assistant to call.

It reads nothing but what is in a message, and does nothing but compute: no path is opened, no command run, nothing sent
anywhere. The tools are plain functions in ``tools.py``; ``serving.py`` alone knows the SDK (the extra ``mcp``).
"""
