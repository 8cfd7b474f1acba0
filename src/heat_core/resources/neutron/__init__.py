"""Types of networks (Neutron)."""
