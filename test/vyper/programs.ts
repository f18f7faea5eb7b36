import { compareReleases } from "../../src/verification/compilers/versions.ts";

/** A contract in the language of a release. */
export interface Program {
  name: string;
  source: string;
  /** Further files by path, for standard JSON. */
  others?: Record<string, string>;
  /** The folder of the file itself, with a slash; all files are sources then. */
  folder?: string;
}

const since = (release: string, first: string) => compareReleases(release, first) >= 0;

/** Decorators of a constructor. */
function deploy(release: string): string {
  return since(release, "0.4.0") ? "@deploy" : "@external";
}

function header(release: string, mark: string): string {
  return `# @version ${release}\n# ${mark}\n`;
}

/** Takes a number, a text and an address, and has immutables where the release knows them. */
export function keeper(release: string, mark: string, top = "top"): Program {
  const hasImmutables = since(release, "0.3.1");
  const limit = hasImmutables
    ? "LIMIT: immutable(uint256)\nOWNER: immutable(address)"
    : "limit: uint256\nowner: address";
  const assign = hasImmutables
    ? `    LIMIT = ${top}\n    OWNER = owner_`
    : `    self.limit = ${top}\n    self.owner = owner_`;
  const source = `${header(release, mark)}
${limit}
label: public(String[32])

${deploy(release)}
def __init__(top: uint256, label_: String[32], owner_: address):
${assign}
    self.label = label_

@external
@view
def top() -> uint256:
    return ${hasImmutables ? "LIMIT" : "self.limit"}

@external
@view
def owned_by() -> address:
    return ${hasImmutables ? "OWNER" : "self.owner"}
`;
  return { name: "Keeper", source };
}

/** Takes nothing, and has nothing that deployment fills in. */
export function plain(release: string, mark: string): Program {
  const source = `${header(release, mark)}
total: public(uint256)

@external
def put_in(amount: uint256):
    self.total += amount
`;
  return { name: "Plain", source };
}

/** Calls another contract by an interface that is a file of its own. */
export function caller(release: string, mark: string): Program {
  const isNew = since(release, "0.4.0");
  const call = isNew ? "staticcall ITotal(target).total()" : "ITotal(target).total()";
  const source = `${header(release, mark)}
${isNew ? "import ITotal" : "import ITotal as ITotal"}

@external
@view
def read(target: address) -> uint256:
    return ${call}
`;
  const body = isNew ? "..." : "pass";
  const others = isNew
    ? { "ITotal.vyi": `@external\n@view\ndef total() -> uint256:\n    ${body}\n` }
    : { "ITotal.vy": `@external\n@view\ndef total() -> uint256:\n    ${body}\n` };
  return { name: "Caller", source, others };
}

/** Stands for one file and another one that it imports, below a folder, both of them contracts. */
export function project(release: string, mark: string): Program {
  const isNew = since(release, "0.4.0");
  const counted = `${header(release, mark)}
total: public(uint256)

@external
def put_in(amount: uint256):
    self.total += amount
`;
  const call = isNew ? "extcall Counted(target).put_in(amount)" : "Counted(target).put_in(amount)";
  const written = isNew
    ? "interface Counted:\n    def put_in(amount: uint256): nonpayable"
    : "from . import Counted";
  const bound = since(release, "0.3.1") ? "BOUND: immutable(uint256)" : "bound: uint256";
  const source = `${header(release, mark)}
${written}
${isNew ? "from lib import bounds" : ""}

${bound}

${deploy(release)}
def __init__(most: uint256):
    ${since(release, "0.3.1") ? "BOUND" : "self.bound"} = most

@external
def put(target: address, amount: uint256):
    ${isNew ? "assert bounds.within(amount, BOUND)" : `assert amount <= ${since(release, "0.3.1") ? "BOUND" : "self.bound"}`}
    ${call}
`;
  const others: Record<string, string> = { "src/Counted.vy": counted };
  if (isNew) {
    others["lib/bounds.vy"] =
      "@internal\n@pure\ndef within(amount: uint256, most: uint256) -> bool:\n    return amount <= most\n";
  }
  return { name: "Putter", source, others, folder: "src/" };
}

/** Documents itself in ways that NatSpec does not know. */
export const STRANGE_DOCUMENTATION = {
  "an unknown tag": "@since 1.0",
  "an empty field": "@notice\n    @dev",
  "a title twice": "@title One\n    @title Two",
  "a parameter that does not exist": "@param other Not there",
};

/** Has a function that is documented so. */
export function documented(release: string, documentation: string): Program {
  const source = `${header(release, "documented")}
@external
@view
def one(amount: uint256) -> uint256:
    """
    ${documentation}
    """
    return amount + 1
`;
  return { name: "Documented", source };
}

/** Makes copies of a contract. */
export function copier(release: string): Program {
  const create = since(release, "0.3.4") ? "create_copy_of" : "create_forwarder_to";
  const source = `${header(release, "copies")}
made: public(address)

@external
def copy(target: address):
    self.made = ${create}(target)
`;
  return { name: "Copier", source };
}

/** Has immutables of texts and lists: of arguments, and constant ones. */
export function varied(release: string): Program {
  const list = since(release, "0.3.2") ? "DynArray[uint256, 3]" : "uint256[2]";
  const source = `${header(release, "varied")}
NAME: immutable(String[32])
LABEL: immutable(String[32])
PARTS: immutable(${list})

${deploy(release)}
def __init__(name_: String[32], part: uint256):
    NAME = name_
    LABEL = "honest"
    PARTS = [part, 3000]

@external
@view
def name_of() -> String[32]:
    return NAME

@external
@view
def label_of() -> String[32]:
    return LABEL

@external
@view
def second() -> uint256:
    return PARTS[1]
`;
  return { name: "Varied", source };
}

/** Since 0.4.0: a module that has an immutable of its own, and sets it. */
export function modular(release: string): Program {
  const source = `${header(release, "modular")}
from lib import fees

initializes: fees

@deploy
def __init__(owner: address):
    fees.__init__(owner, 30)

@external
@view
def fee() -> uint256:
    return fees.charged(10)
`;
  const fees = `FEE: immutable(uint256)
OWNER: public(immutable(address))

@deploy
def __init__(owner: address, fee: uint256):
    FEE = fee * 100
    OWNER = owner

@internal
@view
def charged(amount: uint256) -> uint256:
    return amount * FEE
`;
  return { name: "Modular", source, others: { "lib/fees.vy": fees }, folder: "src/" };
}

/** Makes keepers of a blueprint (ERC-5202). */
export function maker(release: string): Program {
  const source = `${header(release, "makes")}
made: public(address)

@external
def make(target: address, top: uint256, label_: String[32], owner_: address):
    self.made = create_from_blueprint(target, top, label_, owner_, code_offset=3)
`;
  return { name: "Maker", source };
}

/** Returns the path of a program's main file. */
export function mainOf({ name, folder = "" }: Program): string {
  return `${folder}${name}.vy`;
}

/** Returns a program's files, as standard JSON has them. */
export function sourcesOf(program: Program): Record<string, { content: string }> {
  const files = Object.entries({ [mainOf(program)]: program.source, ...program.others });
  return Object.fromEntries(files.map(([path, content]) => [path, { content }]));
}
