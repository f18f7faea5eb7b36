import { describe, expect, test } from "vitest";
import { readSyntax } from "../../../src/verification/match/syntax.ts";

type Node = Record<string, unknown>;

function types(typeIdentifier: string, typeString = ""): Node {
  return { typeDescriptions: { typeIdentifier, typeString } };
}

function variable(id: number, typeIdentifier: string, parts: Node = {}): Node {
  return {
    nodeType: "VariableDeclaration",
    id,
    name: `v${id}`,
    ...types(typeIdentifier, "t"),
    ...parts,
  };
}

const FUNCTION = "t_function_internal_view$__$";

/** Each node is in a file and a portion of its own. */
async function keepsFunctions(...nodes: unknown[]): Promise<boolean> {
  const portions = nodes.map((node) => [{ nodeType: "SourceUnit", nodes: [node] }]);
  return (await readSyntax(portions, new Set())).keepsFunctions;
}

test("variables are read by their ids, wherever they stand", async () => {
  const tree = {
    nodeType: "SourceUnit",
    nodes: [null, "text", { inner: [variable(7, "t_uint8"), variable(8, "t_bool")] }],
  };
  expect((await readSyntax([[tree]], new Set(["7"]))).variables).toEqual(
    new Map([["7", { name: "v7", type: "t", typeIdentifier: "t_uint8" }]]),
  );
});

test("enums tell the number of their members, value types what is below them", async () => {
  const { enums, valueTypes, keepsFunctions } = await readSyntax(
    [
      [
        { nodeType: "EnumDefinition", id: 5, members: [{}, {}, {}] },
        { nodeType: "EnumDefinition", id: 6 },
        { nodeType: "UserDefinedValueTypeDefinition", id: 9, underlyingType: types("t_uint8") },
        { nodeType: "UserDefinedValueTypeDefinition", id: 10 },
      ],
    ],
    new Set(),
  );
  expect(enums).toEqual(
    new Map([
      ["5", 3],
      ["6", 0],
    ]),
  );
  expect(valueTypes).toEqual(
    new Map([
      ["9", "t_uint8"],
      ["10", ""],
    ]),
  );
  expect(keepsFunctions).toBe(false);
});

describe("internal functions are kept", () => {
  test("by state variables that are not immutable", async () => {
    expect(
      await keepsFunctions(variable(1, FUNCTION, { stateVariable: true, mutability: "mutable" })),
    ).toBe(true);
    expect(
      await keepsFunctions(variable(1, FUNCTION, { stateVariable: true, mutability: "immutable" })),
    ).toBe(false);
    expect(await keepsFunctions(variable(1, FUNCTION))).toBe(false);
    expect(
      await keepsFunctions(variable(1, "t_uint8", { stateVariable: true, mutability: "mutable" })),
    ).toBe(false);
  });

  test("by lists and mappings of them", async () => {
    expect(await keepsFunctions(variable(1, `t_array$_${FUNCTION}$dyn_memory_ptr`))).toBe(true);
    expect(await keepsFunctions(variable(1, "t_array$_t_uint8_$dyn_memory_ptr"))).toBe(false);
    expect(await keepsFunctions(variable(1, `t_mapping$_t_uint8_$_${FUNCTION}_$`))).toBe(true);
    // Without a variable: [f, g][0]().
    const list = { nodeType: "TupleExpression", ...types(`t_array$_${FUNCTION}$2_memory_ptr`) };
    expect(await keepsFunctions(list)).toBe(true);
    expect(await keepsFunctions({ nodeType: "Identifier", ...types(FUNCTION) })).toBe(false);
  });

  test("by structs", async () => {
    expect(
      await keepsFunctions({
        nodeType: "StructDefinition",
        members: [types("t_bool"), types(FUNCTION)],
      }),
    ).toBe(true);
    expect(await keepsFunctions({ nodeType: "StructDefinition", members: [types("t_bool")] })).toBe(
      false,
    );
    expect(await keepsFunctions({ nodeType: "StructDefinition" })).toBe(false);
  });

  test("by assembly that names one, in the form of each compiler", async () => {
    const named = (externalReferences: unknown) => ({
      nodeType: "InlineAssembly",
      externalReferences,
    });
    expect(await keepsFunctions(variable(1, FUNCTION), named([{ declaration: 1 }]))).toBe(true);
    expect(await keepsFunctions(variable(1, FUNCTION), named([{ v1: { declaration: 1 } }]))).toBe(
      true,
    );
    expect(await keepsFunctions(variable(1, FUNCTION), named([{ declaration: 2 }]))).toBe(false);
    expect(await keepsFunctions(variable(1, "t_uint8"), named([{ declaration: 1 }]))).toBe(false);
    expect(await keepsFunctions(variable(1, FUNCTION), named([{}]))).toBe(false);
  });

  test("not by assembly that only copies one to another", async () => {
    const assembly = (value: object, ...others: object[]) => ({
      nodeType: "InlineAssembly",
      AST: { statements: [{ nodeType: "YulAssignment", value }, ...others] },
      externalReferences: [{ declaration: 1 }, { declaration: 2 }],
    });
    const copy = assembly({ nodeType: "YulIdentifier" });
    const both = [variable(1, FUNCTION), variable(2, FUNCTION)];
    expect(await keepsFunctions(copy, ...both)).toBe(false);
    expect(await keepsFunctions(copy, variable(1, FUNCTION), variable(2, "t_uint256"))).toBe(true);
    expect(await keepsFunctions(copy, variable(1, "t_uint256"), variable(2, FUNCTION))).toBe(true);
    expect(await keepsFunctions(assembly({ nodeType: "YulFunctionCall" }), ...both)).toBe(true);
    expect(await keepsFunctions(assembly({ nodeType: "YulIdentifier" }, {}), ...both)).toBe(true);
    const words = (given: string, made: string) => [
      variable(1, `t_function_internal_pure$_${given}_$returns$__$`),
      variable(2, `t_function_internal_view$_${made}_$returns$__$`),
    ];
    expect(
      await keepsFunctions(copy, ...words("t_address_$_t_bytes32", "t_uint256_$_t_uint8")),
    ).toBe(false);
    expect(await keepsFunctions(copy, ...words("t_uint256", "t_uint256_$_t_uint256"))).toBe(true);
    expect(await keepsFunctions(copy, ...words("t_uint256", "t_bytes_calldata_ptr"))).toBe(true);
    const other = { ...copy, AST: { statements: [{ nodeType: "YulIf", value: {} }] } };
    expect(await keepsFunctions(other, ...both)).toBe(true);
  });

  test("by assembly that jumps", async () => {
    const assembly = (operations: string) => ({ nodeType: "InlineAssembly", operations });
    expect(await keepsFunctions(assembly("{ jump(7) }"))).toBe(true);
    expect(await keepsFunctions(assembly("{ jumpi(7, 1) }"))).toBe(true);
    expect(await keepsFunctions(assembly("{ jumper := 7 }"))).toBe(false);
  });

  test("by assembly that reaches the stack below its own", async () => {
    const assembly = (...lines: string[]) => ({
      nodeType: "InlineAssembly",
      operations: `{\n    ${lines.join("\n    ")}\n}`,
    });
    expect(await keepsFunctions(assembly("place", "swap2", "pop"))).toBe(true);
    expect(await keepsFunctions(assembly("=: place", "=: place"))).toBe(true);
    expect(
      await keepsFunctions(
        assembly(
          "let x := mload(0)",
          "for {",
          "}",
          "lt(x, 3)",
          "{",
          "break",
          "}",
          "pop(x)",
          'mstore(0, "a\\npop\\nb")',
          "default {",
          "}",
        ),
      ),
    ).toBe(false);
  });

  test("by any assembly, any variable for one and any list in trees of the older form", async () => {
    const older = (name: string, attributes: Node = {}) => ({ name, attributes, children: [] });
    expect(await keepsFunctions(older("InlineAssembly"))).toBe(true);
    expect(await keepsFunctions(older("VariableDeclaration", { type: "function ()" }))).toBe(true);
    expect(await keepsFunctions(older("VariableDeclaration", { type: "uint256" }))).toBe(false);
    expect(await keepsFunctions(older("IndexAccess", { type: "function ()" }))).toBe(true);
    expect(await keepsFunctions(older("IndexAccess", { type: "uint256" }))).toBe(false);
    expect(await keepsFunctions(older("Identifier", { type: "function ()" }))).toBe(false);
    expect(await keepsFunctions(older("ParameterList"))).toBe(false);
    expect(await keepsFunctions({ nodeType: "StructDefinition", name: "InlineAssembly" })).toBe(
      false,
    );
  });
});
