"""Types of the identity service: OS::Keystone::*."""
