"""heat.conf's options for the message broker as heat_io.messaging.amqp wants them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_type_hints

from heat_app.config import RabbitSettings, Settings
from heat_io.messaging.amqp import (
    AmqpSettings,
    TlsSettings,
    UnsupportedTransport,
    parse_transport_url,
)

__all__ = ["messaging_settings"]


def messaging_settings(settings: Settings, *, process: str = "heat-trio") -> AmqpSettings:
    """How this process reaches the broker; `process` is what operators see there.

    What transport_url carries as options goes before [oslo_messaging_rabbit]. Raises
    UnsupportedTransport with a sentence for what heat-trio has not.
    """
    url = parse_transport_url(settings.transport_url)
    rabbit = replace(settings.oslo_messaging_rabbit, **_values(url.options))
    if rabbit.rabbit_stream_fanout:
        raise UnsupportedTransport(
            "[oslo_messaging_rabbit] rabbit_stream_fanout: heat-trio has no stream queues."
        )
    if rabbit.rabbit_login_method == "RABBIT-CR-DEMO":
        raise UnsupportedTransport(
            "[oslo_messaging_rabbit] rabbit_login_method: RABBIT-CR-DEMO is not supported."
        )
    return AmqpSettings(
        addresses=url.addresses,
        virtual_host=url.virtual_host,
        tls=_tls(rabbit) if rabbit.ssl else None,
        # AMQPLAIN is PLAIN in another spelling, and no broker has only the one.
        external_login=rabbit.rabbit_login_method == "EXTERNAL",
        connection_name=process,
        control_exchange=settings.control_exchange,
        durable=rabbit.amqp_durable_queues,
        auto_delete=rabbit.amqp_auto_delete,
        mirrored=rabbit.rabbit_ha_queues,
        quorum=rabbit.rabbit_quorum_queue,
        transient_quorum=rabbit.rabbit_transient_quorum_queue,
        quorum_delivery_limit=rabbit.rabbit_quorum_delivery_limit,
        quorum_max_memory_length=rabbit.rabbit_quorum_max_memory_length,
        quorum_max_memory_bytes=rabbit.rabbit_quorum_max_memory_bytes,
        transient_ttl_seconds=rabbit.rabbit_transient_queues_ttl,
        cancel_on_failover=rabbit.enable_cancel_on_failover,
        prefetch=rabbit.rabbit_qos_prefetch_count,
        heartbeat_seconds=rabbit.heartbeat_timeout_threshold,
        heartbeat_rate=rabbit.heartbeat_rate,
        retry_seconds=rabbit.rabbit_retry_interval,
        retry_step_seconds=rabbit.rabbit_retry_backoff,
        retry_max_seconds=rabbit.rabbit_interval_max,
        call_timeout_seconds=settings.rpc_response_timeout,
        missing_reply_queue_seconds=rabbit.kombu_missing_consumer_retry_timeout,
    )


def _tls(rabbit: RabbitSettings) -> TlsSettings:
    return TlsSettings(
        ca_file=rabbit.ssl_ca_file or None,
        cert_file=rabbit.ssl_cert_file or None,
        key_file=rabbit.ssl_key_file or None,
        version=rabbit.ssl_version,
        verify_host=rabbit.ssl_enforce_hostname_verification,
    )


def _values(options: Mapping[str, str]) -> dict[str, Any]:
    """The options of a URL's query that we know, as values of their types."""
    hints = get_type_hints(RabbitSettings)
    return {
        name: _value(name, text, hints[name]) for name, text in options.items() if name in hints
    }


def _value(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        known = {"true": True, "1": True, "yes": True, "on": True}
        known |= {"false": False, "0": False, "no": False, "off": False}
        if text.lower() not in known:
            raise UnsupportedTransport(f"transport_url: {name}={text} is neither true nor false.")
        return known[text.lower()]
    if kind is int:
        try:
            return int(text)
        except ValueError:
            raise UnsupportedTransport(f"transport_url: {name}={text} is no number.") from None
    return text
