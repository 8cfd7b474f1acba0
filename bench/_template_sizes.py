"""The templates that bench.template measures: also read by Heat's Python, so nothing newer here."""

SIZES = (100, 1000)
REPEATS = {100: 20, 1000: 2}
"""runs of a process by size: Heat takes 15 s for one of 1000"""
PROJECT = "0123456789abcdef0123456789abcdef"

_HEAD = """\
heat_template_version: 2018-08-31
description: Servers with their networks, ports, volumes and addresses, over and over.
parameters:
  prefix:
    type: string
    description: What every name begins with.
    default: bench
    constraints: [{length: {min: 1, max: 20}}, {allowed_pattern: '[a-z]+'}]
  image: {type: string, default: debian-13}
  flavor: {type: string, default: m1.small, constraints: [{allowed_values: [m1.small, m1.large]}]}
  external: {type: string, default: public}
  resolvers: {type: comma_delimited_list, default: '10.0.0.2,10.0.0.3'}
  tags: {type: json, default: {team: blue, stage: test}}
  zone: {type: string, default: north}
conditions:
  is_north: {equals: [{get_param: zone}, north]}
  is_far: {not: is_north}
resources:
"""

# Ten resources as they stand together in the templates of users.
_GROUP = """\
  net_$:
    type: OS::Neutron::Net
    properties:
      name: {list_join: ['-', [{get_param: prefix}, net, '$']]}
      admin_state_up: true
  subnet_$:
    type: OS::Neutron::Subnet
    properties:
      network: {get_resource: net_$}
      cidr: 10.0.0.0/24
      gateway_ip: 10.0.0.1
      enable_dhcp: true
      dns_nameservers: {get_param: resolvers}
      allocation_pools:
        - start: 10.0.0.10
          end: 10.0.0.200
  group_$:
    type: OS::Neutron::SecurityGroup
    properties:
      description: Web and shell
      rules:
        - {protocol: tcp, port_range_min: 22, port_range_max: 22}
        - protocol: tcp
          port_range_min: 80
          port_range_max: 443
          remote_ip_prefix: 0.0.0.0/0
  port_$:
    type: OS::Neutron::Port
    depends_on: [subnet_$]
    properties:
      network: {get_resource: net_$}
      fixed_ips:
        - subnet: {get_resource: subnet_$}
      security_groups: [{get_resource: group_$}]
  password_$:
    type: OS::Heat::RandomString
    properties:
      length: 24
      character_classes:
        - {class: lowercase, min: 2}
        - {class: digits, min: 2}
  config_$:
    type: OS::Heat::SoftwareConfig
    properties:
      group: script
      inputs:
        - {name: password, type: String}
        - {name: address, type: String, default: ''}
      config:
        str_replace:
          template: |
            #!/bin/sh
            # set up %name%
            echo "%password%" | passwd --stdin app
            systemctl enable --now app
          params:
            '%name%': {get_param: 'OS::stack_name'}
            '%password%': {get_attr: [password_$, value]}
  volume_$:
    type: OS::Cinder::Volume
    deletion_policy: Retain
    properties:
      size: 10
      name: {list_join: ['-', [{get_param: prefix}, data, '$']]}
      metadata: {get_param: tags}
  server_$:
    type: OS::Nova::Server
    metadata: {owner: {get_param: prefix}, role: web}
    properties:
      name: {list_join: ['-', [{get_param: prefix}, web, '$']]}
      image: {get_param: image}
      flavor: {get_param: flavor}
      networks:
        - port: {get_resource: port_$}
      config_drive: {if: [is_far, true, false]}
      user_data_format: SOFTWARE_CONFIG
      user_data: {get_resource: config_$}
      metadata:
        team: {get_param: [tags, team]}
        network: {get_attr: [net_$, name]}
  attachment_$:
    type: OS::Cinder::VolumeAttachment
    properties:
      volume_id: {get_resource: volume_$}
      instance_uuid: {get_resource: server_$}
      mountpoint: /dev/vdb
  address_$:
    type: OS::Neutron::FloatingIP
    condition: is_north
    properties:
      floating_network: {get_param: external}
      port_id: {get_resource: port_$}
"""

_OUTPUT = """\
  address_$:
    description: Where the server answers.
    value: {get_attr: [address_$, floating_ip_address]}
  login_$:
    value:
      str_replace:
        template: ssh app@address
        params: {address: {get_attr: [server_$, first_address]}}
"""

ATTRIBUTES = {
    "net": {"name": "net"},
    "password": {"value": "secret"},
    "address": {"floating_ip_address": "192.0.2.1"},
    "server": {"first_address": "10.0.0.10"},
}
"""what resources have when values are resolved, by the first part of their names"""


def template_text(size):
    """YAML with `size` resources, ten of each group."""
    numbers = [str(number) for number in range(size // 10)]
    resources = "".join(_GROUP.replace("$", number) for number in numbers)
    outputs = "".join(_OUTPUT.replace("$", number) for number in numbers)
    return f"{_HEAD}{resources}outputs:\n{outputs}"


def attributes(name):
    """What a resource of this name has when values are resolved."""
    return ATTRIBUTES.get(name.split("_")[0], {})
