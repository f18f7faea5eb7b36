"""Verifies a contract by typed-etherscan, and reads with its validation of every answer.

Arguments: origin, chain id, address, and a file with the parameters of the verification; prints JSON.
"""
import asyncio
import datetime
import json
import sys

from typed_etherscan import Etherscan

origin, chain, address, file = sys.argv[1:]


async def main():
    async with Etherscan.new("any", base_url=origin) as explorer:
        contracts = explorer.contracts
        with open(file) as parameters:
            sent = await contracts.verify_source_code(chainid=chain, contractaddress=address, **json.load(parameters))
        status = "Pending in queue"
        while status == "Pending in queue":
            await asyncio.sleep(0.5)
            status = (await contracts.verification_status(chainid=chain, guid=sent["result"]))["result"]
        [source] = (await contracts.source_code(chainid=chain, address=address))["result"]
        [creation] = (await contracts.creation(chainid=chain, contractaddresses=address))["result"]
        creator = creation["contractCreator"]
        [first, *_] = (await explorer.account.transactions(chainid=chain, address=creator, sort="asc"))["result"]
        receipt = await explorer.transactions.receipt_status(chainid=chain, txhash=first["hash"])
        block = await explorer.blocks.number_by_time(
            chainid=chain, timestamp=datetime.datetime.now(datetime.timezone.utc), closest="before"
        )
        logs = await explorer.logs.by_address(chainid=chain, address=address, from_block=0, to_block=9)
        called = await explorer.proxy.eth_call(chainid=chain, to=address, data="0xa4d66daf", tag="latest")
        chains = await explorer.usage.chain_list()
        print(json.dumps({
            "status": status,
            "name": source["ContractName"],
            "first": first["contractAddress"],
            "created": creation["txHash"] == first["hash"],
            "receipt": receipt["result"]["status"],
            "block": int(block["result"]),
            "logs": logs["result"],
            "limit": int(called["result"], 16),
            "chains": [each["chainid"] for each in chains["result"]],
        }))


asyncio.run(main())
