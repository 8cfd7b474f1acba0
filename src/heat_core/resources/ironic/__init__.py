"""Types of bare metal (Ironic)."""
