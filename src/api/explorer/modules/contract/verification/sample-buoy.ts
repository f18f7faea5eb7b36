// The contract in the documentation's verification examples. The embedded chain has one for each; a
// test compares these texts with src/devnet/contracts/Buoy.sol and its compilation.

/** Addresses, one for each action with Solidity sources. */
export const BUOYS = {
  verify: "0x2029d1ebf042c0a2188aca8ddc61df632488e389",
  verifysourcecode: "0x5ab5bbdd5140f9fe0100b0c49ff80b495e61bc62",
  verify_via_sourcify: "0x33039324bb41b78b49581556e9a2b9d0ffd2824c",
  verify_via_repository: "0x9b4a2040e4d6ca1e8c7dd73922a6bd5a4ec203aa",
};

export const BUOY_COMPILER = "v0.8.37+commit.f401782d";

export const BUOY_SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Not verified at first: the examples of the API's document verify it.
contract Buoy {
    uint256 public lights = 2;
}
`;

/** The compiler's metadata file. */
export const BUOY_METADATA =
  '{"compiler":{"version":"0.8.37+commit.f401782d"},"language":"Solidity","output":{"abi":[{"inputs":[],"name":"lights","outputs":[{"internalType":"uint256","name":"","type":"uint256"}],"stateMutability":"view","type":"function"}],"devdoc":{"kind":"dev","methods":{},"version":1},"userdoc":{"kind":"user","methods":{},"notice":"Not verified at first: the examples of the API\'s document verify it.","version":1}},"settings":{"compilationTarget":{"Buoy.sol":"Buoy"},"evmVersion":"osaka","libraries":{},"metadata":{"bytecodeHash":"ipfs"},"optimizer":{"enabled":false,"runs":200},"remappings":[]},"sources":{"Buoy.sol":{"keccak256":"0x3d1f3ef9af30f3febbfe9f4e5971af10cd9908c87c7afd5be6f9ba0dc594a07d","license":"MIT","urls":["bzz-raw://38423f3b410426aa869878be088911dd873d4597f5a63194ca3ebb0b876e7b22","dweb:/ipfs/QmTGGGkS2aCMznuxufXVZ6Vgj4rW3nSmJ73cHjJaPUuQaP"]}},"version":1}';
