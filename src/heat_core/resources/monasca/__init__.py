"""Types of monitoring (Monasca)."""
