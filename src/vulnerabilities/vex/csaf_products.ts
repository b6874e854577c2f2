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
  const components = new Map<string, VexComponent>();
  const add = (product: JsonObject, productPath: string, branchContext: BranchContext) => {
    const id = reader.text(`${productPath}.product_id`, product.product_id, maxNameLength);
    if (components.has(id)) reader.refuse(`${productPath}.product_id`, "is defined twice");
    components.set(id, readProduct(reader, product, productPath, branchContext, namespace));
  };
  const walk = (
    branches: JsonValue | undefined,
    branchesPath: string,
    branchContext: BranchContext,
    depth: number,
  ) => {
    if (depth > maxDepth) {
      reader.refuse(branchesPath, `is nested more than ${maxDepth} branches deep`);
      return;
    }
    for (const [i, branch] of reader.objects(branchesPath, branches).entries()) {
      const here = `${branchesPath}[${i}]`;
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
  for (const [i, fullName] of names.entries()) {
    add(fullName, `${path}.full_product_names[${i}]`, noBranch);
  }
  const products = new Map<string, CsafProduct>();
  for (const [id, product] of components) {
    products.set(id, { product, between: [], subcomponent: undefined });
  }
  const relationshipsPath = `${path}.relationships`;
  addRelatedProducts(reader, tree.relationships, relationshipsPath, { products, namespace });
  return { products, groups: readGroups(reader, tree, path, products) };
}

function readProduct(
  reader: JsonReader,
  product: JsonObject,
  path: string,
  branchContext: BranchContext,
  namespace: string,
): VexComponent {
  const name = reader.text(`${path}.name`, product.name, maxNameLength);
  const helperPath = `${path}.product_identification_helper`;
  const helper = reader.object(helperPath, product.product_identification_helper);
  const cpe = helper.cpe ?? null;
  const isNewer = typeof cpe === "string" && cpe.startsWith("cpe:2.3:");
  const read = readIdentifiers(reader, helperPath, {
    purl: helper.purl ?? null,
    cpe22: isNewer ? null : cpe,
    cpe23: isNewer ? cpe : null,
  });
  // The ids of products have a meaning only within a document. Full names have one within a publisher.
  const id =
    read.purl === ""
      ? `${namespace}#${encodeURIComponent(name.replace(/\p{Surrogate}/gu, "\ufffd"))}`
      : "";
  const hashes = hashesOf(reader, helper, helperPath);
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
  const hashesPath = `${path}.hashes[0].file_hashes`;
  for (const [i, fileHash] of reader.objects(hashesPath, file.file_hashes).entries()) {
    const algorithm = reader.text(`${hashesPath}[${i}].algorithm`, fileHash.algorithm);
    const value = reader.text(`${hashesPath}[${i}].value`, fileHash.value).toLowerCase();
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
  let open = reader.objects(path, value).map((relationship, i) => {
    const relationshipPath = `${path}[${i}]`;
    reader.choice(`${relationshipPath}.category`, relationship.category, categories);
    const whole = reader.object(
      `${relationshipPath}.full_product_name`,
      relationship.full_product_name,
    );
    return {
      relationshipPath,
      whole,
      id: reader.text(
        `${relationshipPath}.full_product_name.product_id`,
        whole.product_id,
        maxNameLength,
      ),
      part: reader.text(
        `${relationshipPath}.product_reference`,
        relationship.product_reference,
        maxNameLength,
      ),
      where: reader.text(
        `${relationshipPath}.relates_to_product_reference`,
        relationship.relates_to_product_reference,
        maxNameLength,
      ),
    };
  });
  for (let before = -1; open.length !== before; ) {
    before = open.length;
    open = open.filter(({ relationshipPath, whole, id, part, where }) => {
      const [inner, outer] = [products.get(part), products.get(where)];
      if (!inner || !outer) return true;
      if (products.has(id))
        reader.refuse(`${relationshipPath}.full_product_name.product_id`, "is defined twice");
      const named = identified(reader, whole, `${relationshipPath}.full_product_name`, {
        namespace,
        inner,
      });
      const product = withParent(named ?? inner, outer);
      if (product.between.length > maxDepth) {
        reader.refuse(relationshipPath, `is nested more than ${maxDepth} products deep`);
        return true;
      }
      products.set(id, product);
      return false;
    });
  }
  for (const { relationshipPath, part, where } of open) {
    if (products.has(part) && products.has(where)) continue;
    const isPart = !products.has(part);
    const field = isPart ? "product_reference" : "relates_to_product_reference";
    reader.refuse(
      `${relationshipPath}.${field}`,
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
  const helperPath = `${path}.product_identification_helper`;
  const { purl } = reader.object(helperPath, whole.product_identification_helper);
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
  const groupsPath = `${path}.product_groups`;
  const groups = new Map<string, Set<string>>();
  for (const [i, group] of reader.objects(groupsPath, tree.product_groups).entries()) {
    const id = reader.text(`${groupsPath}[${i}].group_id`, group.group_id, maxNameLength);
    if (groups.has(id)) reader.refuse(`${groupsPath}[${i}].group_id`, "is defined twice");
    const ids = readProductIds(
      reader,
      group.product_ids,
      `${groupsPath}[${i}].product_ids`,
      products,
    );
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
