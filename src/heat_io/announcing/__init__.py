"""Telling others what happens to stacks, without ever keeping a stack waiting."""

from heat_io.announcing.announcer import Announcer
from heat_io.announcing.drivers import LogDriver, MessagingDriver, NotificationDriver
from heat_io.announcing.notifications import NotificationSettings, StackNotifications
from heat_io.announcing.sinks import EventSinks

__all__ = [
    "Announcer",
    "EventSinks",
    "LogDriver",
    "MessagingDriver",
    "NotificationDriver",
    "NotificationSettings",
    "StackNotifications",
]
