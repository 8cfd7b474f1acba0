"""Types of load balancing (Octavia)."""
