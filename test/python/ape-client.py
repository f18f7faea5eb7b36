"""Reads a verified contract by ape and its plugin for Etherscan.

The plugin asks etherscan.io for its chains, whatever is configured; the list of the explorer stands in.
Arguments: origin, node, address; prints JSON.
"""
import json
import pathlib
import sys

import requests

origin, node, address = sys.argv[1:]
get = requests.get
requests.get = lambda url, *rest, **more: get(url.replace("https://api.etherscan.io", origin), *rest, **more)
pathlib.Path("ape-config.yaml").write_text(f"""
node:
  ethereum:
    mainnet:
      uri: {node}
""")

from ape import Contract, networks  # noqa: E402

with networks.parse_network_choice("ethereum:mainnet:node") as provider:
    explorer = provider.network.explorer
    client = explorer._client_factory.get_contract_client(address)
    account = explorer._client_factory.get_account_client(address)
    contract = Contract(address)
    [creation] = client.get_creation_data()
    print(json.dumps({
        "page": explorer.get_address_url(address),
        "name": explorer.get_contract_type(address).name,
        "sources": sorted(explorer.get_manifest(address).sources),
        "creation": creation.txHash,
        "first": next(account.get_all_normal_transactions())["hash"],
        "limit": contract.limit(),
    }))
