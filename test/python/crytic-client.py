"""Compiles a verified contract by crytic-compile, and runs slither's detectors over it.

crytic-compile has the hosts of Etherscan and Sourcify in constants; the program replaces them.
Arguments: origin, chain id, address; prints JSON.
"""
import json
import sys

from crytic_compile import CryticCompile
from crytic_compile.platform import etherscan, sourcify
from slither import Slither
from slither.detectors import all_detectors

origin, chain, address = sys.argv[1:]
etherscan.ETHERSCAN_BASE_V2 = etherscan.ETHERSCAN_BASE_V2.replace("https://api.etherscan.io", origin)
sourcify.SOURCIFY_API_BASE = f"{origin}/sourcify/v2/contract"
name = next(name for name, (id, _) in etherscan.SUPPORTED_NETWORK_V2.items() if id == chain)


def compiled(target):
    [unit] = CryticCompile(target).compilation_units.values()
    codes = {}
    for source in unit.source_units.values():
        for contract in source.contracts_names:
            codes[contract] = source.bytecode_init(contract)
    return {"version": unit.compiler_version.version, "proxies": sorted(unit.implementation_addresses), "codes": codes}


def findings(target):
    slither = Slither(target)
    for detector in vars(all_detectors).values():
        if isinstance(detector, type):
            slither.register_detector(detector)
    found = [finding["check"] for findings in slither.run_detectors() for finding in findings]
    return {"contracts": sorted(contract.name for contract in slither.contracts), "found": sorted(set(found))}


targets = {"etherscan": f"{name}:{address}", "sourcify": f"sourcify-{chain}:{address}"}
print(json.dumps({
    "compiled": {way: compiled(target) for way, target in targets.items()},
    "slither": {way: findings(target) for way, target in targets.items()},
}))
