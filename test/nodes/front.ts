import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, numberToHex, parseEther } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { type Call, createJsonRpc, type JsonRpc } from "../support/oracle/json-rpc.ts";
import { developmentAccount } from "../support/world/keys.ts";
import { DEVELOPER_KEY } from "./geth.ts";

/** A JSON-RPC server that makes geth look as the world wants a node: accounts of its own, blocks on command. */
export interface Front {
  url: string;
  stop(): Promise<void>;
}

const ACCOUNTS = 10;
const GAS_OF_TRANSFER = 21_000n;
const FEES = { maxFeePerGas: 200_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const POOL_PATIENCE_MS = 3_000;

/** Requests of the world's stage; amounts as quantities. */
interface Sent {
  from: Hex;
  to?: Hex;
  value: Hex;
  data: Hex;
  gas: Hex;
  nonce: Hex;
  gasPrice?: Hex;
  maxFeePerGas?: Hex;
  maxPriorityFeePerGas?: Hex;
  accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[];
}

/** Starts a front for geth at `url`, and gives its accounts coins. */
export async function startFront(url: string): Promise<Front> {
  const rpc = createJsonRpc(url);
  const chainId = Number(await rpc.request<Hex>("eth_chainId"));
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => developmentAccount(index));
  await fund(rpc, chainId, accounts);

  async function answer({ method, params }: Call): Promise<unknown> {
    switch (method) {
      case "eth_accounts":
        return accounts.map(({ address }) => address.toLowerCase());
      case "eth_sendTransaction":
        return rpc.request("eth_sendRawTransaction", await sign(params[0] as Sent));
      case "evm_setAutomine":
      case "evm_setIntervalMining":
      case "evm_setNextBlockTimestamp":
        return null;
      case "evm_mine":
        return poolIsEmpty(rpc);
      default:
        return rpc.request(method, ...params);
    }
  }

  function sign(sent: Sent): Promise<Hex> {
    const account = accounts.find(({ address }) => address.toLowerCase() === sent.from);
    if (!account) throw new RangeError(`no key of ${sent.from}`);
    const common = {
      chainId,
      ...(sent.to && { to: sent.to }),
      value: BigInt(sent.value),
      data: sent.data,
      gas: BigInt(sent.gas),
      nonce: Number(sent.nonce),
    };
    if (sent.maxFeePerGas && sent.maxPriorityFeePerGas) {
      return account.signTransaction({
        ...common,
        type: "eip1559",
        maxFeePerGas: BigInt(sent.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(sent.maxPriorityFeePerGas),
      });
    }
    const gasPrice = BigInt(sent.gasPrice ?? "0x0");
    return sent.accessList
      ? account.signTransaction({
          ...common,
          type: "eip2930",
          gasPrice,
          accessList: sent.accessList,
        })
      : account.signTransaction({ ...common, type: "legacy", gasPrice });
  }

  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as
      | (Call & { id: number })
      | (Call & { id: number })[];
    const outcomes = [];
    for (const call of Array.isArray(body) ? body : [body]) {
      const outcome = await answer(call).then(
        (result) => ({ result }),
        (error: Error) => ({ error: { code: -32_000, message: error.message } }),
      );
      outcomes.push({ jsonrpc: "2.0", id: call.id, ...outcome });
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? outcomes : outcomes[0]));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function fund(
  rpc: JsonRpc,
  chainId: number,
  accounts: readonly PrivateKeyAccount[],
): Promise<void> {
  const developer = privateKeyToAccount(DEVELOPER_KEY);
  const first = Number(
    await rpc.request<Hex>("eth_getTransactionCount", developer.address, "pending"),
  );
  for (const [index, { address }] of accounts.entries()) {
    const raw = await developer.signTransaction({
      ...{ chainId, type: "eip1559", to: address, value: parseEther("10000") },
      ...{ nonce: first + index, gas: GAS_OF_TRANSFER, ...FEES },
    });
    await rpc.request("eth_sendRawTransaction", raw);
  }
  await poolIsEmpty(rpc);
}

/** Waits until no transaction waits that could be in a block. */
async function poolIsEmpty(rpc: JsonRpc): Promise<Hex> {
  const deadline = Date.now() + POOL_PATIENCE_MS;
  for (;;) {
    const { pending } = await rpc.request<{ pending: Hex }>("txpool_status");
    if (pending === numberToHex(0) || Date.now() > deadline) return "0x0";
    await sleep(20);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
