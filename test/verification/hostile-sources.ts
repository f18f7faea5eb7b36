/** Loops in loops in functions that call each other in a circle: compiled by way of the IR, this does not end. */
export function endlessLoops(name: string): string {
  const functions = Array.from(
    { length: 1000 },
    (_, index) =>
      `function f${index}(uint n) public returns (uint r) { for (uint i = 0; i < n; i++) for (uint j = 0; j < i; j++) for (uint k = 0; k < j; k++) r += f${(index + 1) % 1000}(k) * ${index}; }`,
  );
  return `pragma solidity ^0.8.0; contract ${name} { ${functions.join("\n")} }`;
}

/** A struct of 2^24 members, each struct holding two of the one before: endless by way of the IR, or without an end to its memory. */
export function neverEnding(name: string): string {
  const structs = Array.from(
    { length: 23 },
    (_, index) => `struct S${index + 1} { S${index} a; S${index} b; }`,
  );
  return `pragma solidity ^0.8.0; contract ${name} { struct S0 { uint x; uint y; } ${structs.join(" ")}
    function f(S23 memory t) external pure returns (S23 memory) { return t; } }`;
}
