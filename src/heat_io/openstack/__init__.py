"""heat_io.openstack"""
