"""Types of DNS (Designate)."""
