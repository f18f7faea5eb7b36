import json
import sys

import boa
from boa.rpc import EthereumRPC
from boa.network import NetworkEnv
from boa.verifiers import Blockscout
from eth_account import Account

# Deploys a contract of two files and has it verified, as the documentation of titanoboa does.
rpc, explorer, key, file = sys.argv[1:]
boa.set_env(NetworkEnv(EthereumRPC(rpc)))
boa.env.add_account(Account.from_key(key))
contract = boa.load(file, 30)
verifier = Blockscout(uri=explorer)
boa.verify(contract, verifier, wait=True)
print(json.dumps({"address": contract.address, "verified": verifier.is_verified(contract.address)}))
