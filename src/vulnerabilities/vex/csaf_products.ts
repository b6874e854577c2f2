/** Reads the product tree of a CSAF document (CSAF 2.0, section 3.2.2) as products and parts of them. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { JsonReader } from "../json_reader.ts";
import { readIdentifiers, toComponent } from "./components.ts";
import type { VexComponent } from "./statement.ts";

/** The meaning of a product id: a product, or a part of one. */
export interface CsafProduct {
  product: VexComponent;
  /** The keys of the components in between, from the outside in. */
  between: string[];
  subcomponent: VexComponent | undefined;
}

/** The products and product groups by their ids. */
export interface ProductTree {
  products: Map<string, CsafProduct>;
  groups: Map<string, Set<string>>;
}

const categories = [
  "default_component_of",
  "external_component_of",
  "installed_on",
  "installed_with",
  "optional_component_of",
] as const;

/** The standard allows readers to stop here (section C.3 names 30). */
const maxDepth = 30;
const maxNameLength = 1000;

/** The data about a product in the branches above it. */
interface BranchContext {
  name: string;
  version: string;
  range: string;
}

const noBranch: BranchContext = { name: "", version: "", range: "" };

/** Reads `product_tree`. `namespace` is that of the publisher: a full name in it has only one meaning. */
export function readProductTree(
  reader: JsonReader,
  value: JsonValue | undefined,
  path: string,
  namespace: string,
): ProductTree {
  const tree = reader.object(path, value);
  const found = new Map<string, VexComponent>();
  const add = (given: JsonObject, at: string, branchContext: BranchContext) => {
    const id = reader.text(`${at}.product_id`, given.product_id, maxNameLength);
    if (found.has(id)) reader.refuse(`${at}.product_id`, "is defined twice");
    found.set(id, readProduct(reader, given, at, branchContext, namespace));
  };
  const walk = (
    branches: JsonValue | undefined,
    at: string,
    branchContext: BranchContext,
    depth: number,
  ) => {
    if (depth > maxDepth) {
      reader.refuse(at, `is nested more than ${maxDepth} branches deep`);
      return;
    }
    for (const [i, branch] of reader.objects(at, branches).entries()) {
      const here = `${at}[${i}]`;
      const category = reader.text(`${here}.category`, branch.category);
      const name = reader.text(`${here}.name`, branch.name, maxNameLength);
      const below = {
        name: category === "product_name" ? name : branchContext.name,
        version: category === "product_version" ? name : branchContext.version,
        range: category === "product_version_range" ? name : branchContext.range,
      };
      const { product } = branch;
      if (product !== undefined && product !== null) {
        add(reader.object(`${here}.product`, product), `${here}.product`, below);
      }
      walk(branch.branches, `${here}.branches`, below, depth + 1);
    }
  };
  walk(tree.branches, `${path}.branches`, noBranch, 1);
  const names = reader.objects(`${path}.full_product_names`, tree.full_product_names);
  for (const [i, one] of names.entries()) {
    add(one, `${path}.full_product_names[${i}]`, noBranch);
  }
  const products = new Map<string, CsafProduct>();
  for (const [id, product] of found) {
    products.set(id, { product, between: [], subcomponent: undefined });
  }
  const at = `${path}.relationships`;
  addRelatedProducts(reader, tree.relationships, at, { products, namespace });
  return { products, groups: readGroups(reader, tree, path, products) };
}

function readProduct(
  reader: JsonReader,
  given: JsonObject,
  path: string,
  branchContext: BranchContext,
  namespace: string,
): VexComponent {
  const name = reader.text(`${path}.name`, given.name, maxNameLength);
  const at = `${path}.product_identification_helper`;
  const helper = reader.object(at, given.product_identification_helper);
  const cpe = helper.cpe ?? null;
  const isNewer = typeof cpe === "string" && cpe.startsWith("cpe:2.3:");
  const read = readIdentifiers(reader, at, {
    purl: helper.purl ?? null,
    cpe22: isNewer ? null : cpe,
    cpe23: isNewer ? cpe : null,
  });
  // The ids of products have a meaning only within a document. Full names have one within a publisher.
  const id =
    read.purl === ""
      ? `${namespace}#${encodeURIComponent(name.replace(/\p{Surrogate}/gu, "\ufffd"))}`
      : "";
  const hashes = hashesOf(reader, helper, at);
  const words = { ...branchContext, name: branchContext.name || name };
  return toComponent({ ...read, id: id.length > 1024 ? "" : id, hashes, ...words });
}

/** The OpenVEX names of hash functions. CSAF uses the names of OpenSSL. */
const hashNames = new Map(
  Object.entries({
    md5: "md5",
    sha1: "sha1",
    sha256: "sha-256",
    sha384: "sha-384",
    sha512: "sha-512",
    "sha3-224": "sha3-224",
    "sha3-256": "sha3-256",
    "sha3-384": "sha3-384",
    "sha3-512": "sha3-512",
    blake2s256: "blake2s-256",
    blake2b512: "blake2b-512",
  }),
);

/** The hashes of a product in the names of CSAF. A hash without such a name is left out. */
export const toCsafHashes = (hashes: Record<string, string>): JsonObject[] =>
  [...hashNames].flatMap(([algorithm, name]) => {
    const value = hashes[name];
    return value ? [{ algorithm, value }] : [];
  });

/**
 * The hashes of a product that is one file. If there are several files, none of their hashes identifies the
 * product.
 */
function hashesOf(reader: JsonReader, helper: JsonObject, path: string): Record<string, string> {
  const files = reader.objects(`${path}.hashes`, helper.hashes);
  const [file] = files;
  const hashes: Record<string, string> = {};
  if (!file || files.length > 1) return hashes;
  const at = `${path}.hashes[0].file_hashes`;
  for (const [i, one] of reader.objects(at, file.file_hashes).entries()) {
    const algorithm = reader.text(`${at}[${i}].algorithm`, one.algorithm);
    const value = reader.text(`${at}[${i}].value`, one.value).toLowerCase();
    const known = hashNames.get(algorithm);
    if (known && /^[0-9a-f]{32,}$/.test(value)) hashes[known] = value;
  }
  return hashes;
}

/** Adds the products that relationships build from others, in any order. */
function addRelatedProducts(
  reader: JsonReader,
  value: JsonValue | undefined,
  path: string,
  { products, namespace }: { products: Map<string, CsafProduct>; namespace: string },
): void {
  let open = reader.objects(path, value).map((one, i) => {
    const at = `${path}[${i}]`;
    reader.choice(`${at}.category`, one.category, categories);
    const whole = reader.object(`${at}.full_product_name`, one.full_product_name);
    return {
      at,
      whole,
      id: reader.text(`${at}.full_product_name.product_id`, whole.product_id, maxNameLength),
      part: reader.text(`${at}.product_reference`, one.product_reference, maxNameLength),
      where: reader.text(
        `${at}.relates_to_product_reference`,
        one.relates_to_product_reference,
        maxNameLength,
      ),
    };
  });
  for (let before = -1; open.length !== before; ) {
    before = open.length;
    open = open.filter(({ at, whole, id, part, where }) => {
      const [inner, outer] = [products.get(part), products.get(where)];
      if (!inner || !outer) return true;
      if (products.has(id)) reader.refuse(`${at}.full_product_name.product_id`, "is defined twice");
      const named = identified(reader, whole, `${at}.full_product_name`, { namespace, inner });
      const product = withParent(named ?? inner, outer);
      if (product.between.length > maxDepth) {
        reader.refuse(at, `is nested more than ${maxDepth} products deep`);
        return true;
      }
      products.set(id, product);
      return false;
    });
  }
  for (const { at, part, where } of open) {
    if (products.has(part) && products.has(where)) continue;
    const isPart = !products.has(part);
    const field = isPart ? "product_reference" : "relates_to_product_reference";
    reader.refuse(
      `${at}.${field}`,
      "must be a product of the document, and must not lead back to itself",
    );
  }
}

/**
 * The part that a relationship builds, if its identification helper names it by a package URL. That is more exact
 * than the name of the part on its own.
 */
function identified(
  reader: JsonReader,
  whole: JsonObject,
  path: string,
  { namespace, inner }: { namespace: string; inner: CsafProduct },
): CsafProduct | undefined {
  const at = `${path}.product_identification_helper`;
  const { purl } = reader.object(at, whole.product_identification_helper);
  if (purl === undefined || purl === null) return undefined;
  // A package URL without a version is no more than the versions of the part.
  const { version, stored } = inner.subcomponent ?? inner.product;
  const context = { name: "", version, range: stored.range ?? "" };
  const product = readProduct(reader, whole, path, context, namespace);
  return { product, between: [], subcomponent: undefined };
}

/** A product as a part of another. */
function withParent(inner: CsafProduct, outer: CsafProduct): CsafProduct {
  const around = outer.subcomponent ? [...outer.between, outer.subcomponent.key] : [];
  const within = inner.subcomponent ? [inner.product.key, ...inner.between] : [];
  return {
    product: outer.product,
    between: [...around, ...within],
    subcomponent: inner.subcomponent ?? inner.product,
  };
}

function readGroups(
  reader: JsonReader,
  tree: JsonObject,
  path: string,
  products: Map<string, CsafProduct>,
): Map<string, Set<string>> {
  const at = `${path}.product_groups`;
  const groups = new Map<string, Set<string>>();
  for (const [i, group] of reader.objects(at, tree.product_groups).entries()) {
    const id = reader.text(`${at}[${i}].group_id`, group.group_id, maxNameLength);
    if (groups.has(id)) reader.refuse(`${at}[${i}].group_id`, "is defined twice");
    const ids = readProductIds(reader, group.product_ids, `${at}[${i}].product_ids`, products);
    groups.set(id, new Set(ids));
  }
  return groups;
}

/** A list of product ids. The document must define each of them. */
export function readProductIds(
  reader: JsonReader,
  value: JsonValue | undefined,
  path: string,
  products: Map<string, CsafProduct>,
): string[] {
  const ids = reader.texts(path, value, maxNameLength);
  for (const [i, id] of ids.entries()) {
    if (id !== "" && !products.has(id)) {
      reader.refuse(`${path}[${i}]`, "must be a product of the document");
    }
  }
  return ids;
}
