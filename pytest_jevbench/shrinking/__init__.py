"""A violated test made as small as it stays violated; pure, with whatever answers requests handed in."""
