"""Types of servers (Nova)."""
