"""heat_io.drivers"""
