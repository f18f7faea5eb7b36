import type { Address, Hex } from "viem";
import { zeroAddress } from "viem";
import { callData, initCode } from "../contracts.ts";
import type { Scenario, Scene } from "../scene.ts";

const MAXIMUM = 2n ** 256n - 1n;

/** Sends calls of one contract from one account. */
function caller(scene: Scene, contract: string, to: Address) {
  return (from: Address, functionName: string, ...args: unknown[]): void => {
    scene.send({ from, to, data: callData(contract, functionName, ...args) });
  };
}

/** ERC-20: mint, burn, transfers by owner and spender, of nothing, of everything, to oneself. */
export const fungibles: Scenario = async (scene) => {
  const [first, second, third] = scene.accounts as [Address, Address, Address];
  for (const name of ["fungible", "sibling", "wordNamed"]) {
    const wordNamed = name === "wordNamed";
    const call = caller(scene, wordNamed ? "WordNamed" : "Fungible", scene.contract(name));
    call(first, "mint", first, 1_000_000n);
    if (wordNamed) continue;
    call(first, "transfer", second, 250_000n);
    call(first, "transfer", first, 5n);
    call(first, "transfer", third, 0n);
    call(first, "approve", second, 1_000n);
    await scene.mine();
    call(second, "transferFrom", first, third, 400n);
    call(second, "transfer", first, 250_000n);
    call(second, "burn", 0n);
    call(third, "burn", 400n);
    call(first, "transfer", second, 10n ** 30n);
  }
  scene.send({ from: first, data: initCode("Maximal", [first]), gas: 2_000_000n });
  const maximum = (await scene.mine()).at(-1)?.contractAddress as Address;
  const call = caller(scene, "Maximal", maximum);
  call(first, "transfer", second, MAXIMUM);
  call(second, "transfer", third, MAXIMUM - 1n);
  await scene.mine();
};

/** ERC-721: mint, move, burn, mint again, to oneself, ids 0 and 2^256-1; and the kind that indexes nothing. */
export const collectibles: Scenario = async (scene) => {
  const [first, second, third] = scene.accounts as [Address, Address, Address];
  const call = caller(scene, "Collectible", scene.contract("collectible"));
  for (const id of [0n, 1n, 2n, 1000n, MAXIMUM]) call(first, "place", first, id);
  call(first, "transferFrom", first, second, 1n);
  call(first, "transferFrom", first, first, 2n);
  call(first, "transferFrom", first, second, MAXIMUM);
  call(first, "mint", third, 2n);
  await scene.mine();
  call(second, "transferFrom", second, third, 1n);
  call(second, "burn", 1000n);
  await scene.mine();
  call(third, "place", third, 1000n);
  call(third, "burn", 1n);
  for (const id of [50n, 51n, 52n, 53n]) call(first, "place", first, id);
  call(first, "placeMany", second, 51n, 2n);
  call(first, "placeMany", zeroAddress, 53n, 1n);
  call(first, "place", third, 52n);
  const old = caller(scene, "OldCollectible", scene.contract("oldCollectible"));
  for (const id of [1n, 2n, 3n]) old(first, "mint", first, id + (await supplyOf(scene)));
  old(first, "transfer", second, 1n);
  await scene.mine();
};

async function supplyOf(scene: Scene): Promise<bigint> {
  const call = {
    to: scene.contract("oldCollectible"),
    data: callData("OldCollectible", "totalSupply"),
  };
  return BigInt(await scene.rpc.request<Hex>("eth_call", call, "latest"));
}

/** ERC-1155: single and batch, empty batches, repeated ids, nothing and 2^256-1 of an id, to oneself. */
export const multiTokens: Scenario = async (scene) => {
  const [first, second] = scene.accounts as [Address, Address];
  const call = caller(scene, "MultiToken", scene.contract("multi"));
  const whole = BigInt(await scene.rpc.request<Hex>("eth_blockNumber"));
  call(first, "transfer", zeroAddress, first, 1n, 100n);
  call(first, "transfer", zeroAddress, first, 2n, 0n);
  // A new id each time: 2^256-1 is the most of one.
  call(first, "transfer", zeroAddress, first, MAXIMUM - whole, MAXIMUM);
  call(first, "transferBatch", zeroAddress, first, [3n, 4n, 3n, 3n], [10n, 20n, 30n, 0n]);
  call(first, "transferBatch", zeroAddress, second, [], []);
  await scene.mine();
  call(first, "transfer", first, second, 1n, 40n);
  call(first, "transfer", first, first, 1n, 5n);
  call(first, "transfer", first, second, MAXIMUM - whole, MAXIMUM);
  call(first, "transferBatch", first, second, [3n, 3n, 4n, 1n], [1n, 2n, 3n, 4n]);
  call(first, "transferBatch", first, first, [3n], [1n]);
  call(first, "transferBatch", first, zeroAddress, [4n, 3n], [1n, 1n]);
  call(first, "transfer", first, second, 77n, 1n);
  await scene.mine();
};

/** ERC-404: amounts, pieces, and both in one. */
export const hybrids: Scenario = async (scene) => {
  const [first, second] = scene.accounts as [Address, Address];
  const hybrid = scene.contract("hybrid");
  const call = caller(scene, "Hybrid", hybrid);
  call(first, "mint", first);
  call(first, "mint", first);
  call(first, "transferAmount", second, 10n ** 17n);
  const minted = await scene.rpc.request<Hex>(
    "eth_call",
    { to: hybrid, data: callData("Hybrid", "minted") },
    "latest",
  );
  call(first, "transferPiece", second, BigInt(minted) + 1n);
  await scene.mine();
};

/** Tokens whose balances no sum of transfers gives, and the wrapped coin whose deposits are no transfers. */
export const irregulars: Scenario = async (scene) => {
  const [first, second, third] = scene.accounts as [Address, Address, Address];
  const toll = caller(scene, "FeeOnTransfer", scene.contract("toll"));
  const tide = caller(scene, "Rebasing", scene.contract("tide"));
  const hush = caller(scene, "SilentMint", scene.contract("hush"));
  const whisper = caller(scene, "SilentMint", scene.contract("whisper"));
  for (const call of [toll, tide, hush, whisper]) call(first, "mint", first, 100_000n);
  await scene.mine();
  for (const call of [toll, tide, hush, whisper]) call(first, "transfer", second, 30_000n);
  await scene.mine();
  tide(first, "rebase", 1_500n);
  hush(first, "mintSilently", second, 777n);
  whisper(first, "mintWithOtherEvent", third, 55n);
  await scene.mine();
  toll(second, "transfer", third, 1_000n);
  tide(second, "transfer", third, 1_000n);
  hush(second, "transfer", third, 500n);
  whisper(third, "transfer", first, 5n);
  await scene.mine();
  tide(first, "rebase", 900n);
  const wrapped = scene.contract("wrapped");
  scene.send({ from: first, to: wrapped, value: 5_000n });
  scene.send({ from: first, to: wrapped, data: callData("WrappedCoin", "deposit"), value: 2_000n });
  scene.send({
    from: first,
    to: wrapped,
    data: callData("WrappedCoin", "transfer", second, 1_000n),
  });
  scene.send({ from: first, to: wrapped, data: callData("WrappedCoin", "withdraw", 1_500n) });
  await scene.mine();
};
