"""heat_app.native"""
