"""Makes a client of each module's description by openapi-python-client, and reads by some of them.

Arguments: origin, chain id, address, and the names of the modules; prints JSON.
"""
import importlib
import json
import pathlib
import pkgutil
import subprocess
import sys
import urllib.request

origin, chain, address, *modules = sys.argv[1:]
sys.path.insert(0, ".")
complaints, operations, broken = [], 0, []
for module in modules:
    with urllib.request.urlopen(f"{origin}/openapi/{module}.json") as answer:
        pathlib.Path(f"{module}.json").write_bytes(answer.read())
    package = f"made_{module}"
    options = ["--path", f"{module}.json", "--output-path", package, "--meta", "none"]
    made = subprocess.run(["openapi-python-client", "generate", *options], capture_output=True, text=True)
    said = made.stdout + made.stderr
    if made.returncode or "arning" in said or "rror" in said:
        complaints.append(said)
    folder = importlib.import_module(f"{package}.api.{module}")
    for found in pkgutil.iter_modules(folder.__path__):
        operations += 1
        try:
            importlib.import_module(f"{folder.__name__}.{found.name}")
        except NameError:
            broken.append(found.name)


def ask(module, action, **parameters):
    client = importlib.import_module(f"made_{module}").Client(base_url=origin)
    operation = importlib.import_module(f"made_{module}.api.{module}.etherscan_{module}_{action}")
    return operation.sync(client=client, chainid=int(chain), **parameters)


balance = ask("account", "balance", address=address)
source = ask("contract", "getsourcecode", address=address)
creation = ask("contract", "getcontractcreation", contractaddresses=address)
failure = ask("account", "balance", address="0x1")
print(json.dumps({
    "complaints": complaints,
    "operations": operations,
    "broken": broken,
    "answers": [type(answer).__name__ for answer in (balance, source, creation, failure)],
    "balance": balance.result,
    "name": source.result[0].contract_name,
    "creator": creation.result[0].contract_creator,
    "failure": failure.to_dict(),
}))
