import { expect, test } from "vitest";
import {
  base58,
  ipfsHash,
  keccak,
  swarmHash,
} from "../../../../src/verification/match/metadata/content-hash.ts";
import { bytes } from "../../../support/compiled-code.ts";

// The hashes of larger texts were recorded; test/verification/compilers/source-hashes.test.ts compares such with what a
// real compiler writes.

const MESSAGE = Buffer.from("hello world\n");

test("IPFS names a file by the multihash of its UnixFS node", () => {
  expect(base58(ipfsHash(Buffer.alloc(0)))).toBe("QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH");
  expect(base58(ipfsHash(MESSAGE))).toBe("QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o");
});

test("keccak-256 is that of Ethereum", () => {
  expect(keccak(Buffer.alloc(0)).toString("hex")).toBe(
    "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
  );
});

test("base-58 writes leading zeros as ones", () => {
  expect(base58(bytes("0000287fb4cd"))).toBe("11233QC4");
  expect(base58(bytes("0000"))).toBe("11");
  expect(base58(Buffer.alloc(0))).toBe("");
});

test.each([
  ["ipfs", 262_144, "1220c53c2176c32dd5def95cf4026498a63b8a90c10e71c7b5a14d5ac3e00b5a08c5"],
  ["ipfs", 262_145, "12204bce7bcb7360f930d60a756cddf193b97224fdce4c6887dcca0d2c5376641d6e"],
  ["ipfs", 600_000, "12207a59a7c782178889e8402afd386a91727afea3d7fb0e48025b3b4c0a48b3d938"],
  ["bzzr0", 0, "011b4d03dd8c01f1049143cf9c4c817e4b167f1d1b83e5c6f0f10d89ba1e7bce"],
  ["bzzr1", 0, "0000000000000000000000000000000000000000000000000000000000000000"],
  ["bzzr0", 12, "e282d5a0c7d426f94e30f605080909b810efe6f9350deb840b7f6d8fd20e7518"],
  ["bzzr1", 12, "af0aacf8ba567b37449999951dc45b3bde4733ee4119a203b9daa99b2368f34e"],
  ["bzzr0", 4_096, "1b06773c59e9109c6e5a9ae364416e763afd49c5683869a05a8c5780fec2d4e6"],
  ["bzzr1", 4_096, "c0d587289768cb8e1fa2e60330c2fe8aed6406fb6a127b76ed5a024c3a42a4ca"],
  ["bzzr0", 4_097, "3c0889df1f119cf66796cd4c114ddaf53f60e9fdcf0dba8c6988b25413816a5c"],
  ["bzzr1", 4_097, "44a79cc5ec7057cf92b65192f2c56affaf7e7cfed93b0634783b7f14670d56d6"],
  ["bzzr0", 524_288, "59e836b7f07b4e265322326ece07f6f8f1522b03beddf32a1a6d7dfffc8fab4c"],
  ["bzzr1", 524_288, "17dea0edafc34d5a5829de08f8890b5b8a306a7c3424dd31c489f0ada4f1224b"],
  ["bzzr0", 524_289, "feb99ed51efaf64eda5fe276a2576373737459bf20d45288c0ee1c40ccb4c1fc"],
  ["bzzr1", 524_289, "e1272afe9c01d37b72ccbb192a89235382af28c690412fb5d6f0c0996fd1fa5b"],
  ["bzzr0", 528_384, "7f9f681d1a04557cf4f23ddcb2ef9a4d926680a4b1f056a4fc6f0e8c6f314951"],
  ["bzzr1", 528_384, "d164f93a87940028f74f13ff92891cbec751d3db124a93f15cb830e1740e4fb0"],
] as const)("the %s hash of %d bytes", (kind, length, digest) => {
  const text = Buffer.alloc(length, "x");
  const hash = kind === "ipfs" ? ipfsHash(text) : swarmHash(text, kind);
  expect(hash.toString("hex")).toBe(digest);
});
