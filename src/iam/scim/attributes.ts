/** The attributes of users and groups (RFC 7643 sections 4.1 to 4.3) and the paths that name them. */
import documents from "../../../schema/gen/scim_schemas.json" with { type: "json" };

/** The definition of an attribute (RFC 7643 section 7). */
export interface Attribute {
  name: string;
  type:
    | "string"
    | "boolean"
    | "decimal"
    | "integer"
    | "dateTime"
    | "binary"
    | "reference"
    | "complex";
  multiValued: boolean;
  caseExact?: boolean;
  mutability: "readOnly" | "readWrite" | "immutable" | "writeOnly";
  returned: "always" | "never" | "default" | "request";
  canonicalValues?: string[];
  referenceTypes?: string[];
  uniqueness?: "none" | "server" | "global";
  subAttributes?: Attribute[];
}

/** A schema in the form that the client reads (RFC 7643 section 7). */
export interface SchemaDocument {
  schemas: string[];
  id: string;
  name: string;
  description: string;
  attributes: Attribute[];
}

/**
 * Attributes that are not stored: no one logs in with a password here. A group lists its members, and a user does not
 * list its groups.
 */
const unsupportedAttributes = ["password", "groups"];

function supportedSchema(document: SchemaDocument): SchemaDocument {
  const attributes = document.attributes.filter(
    ({ name }) => !unsupportedAttributes.includes(name),
  );
  return { ...document, attributes };
}

/** A member of a group is a user. Its name is not stored with the group. */
function withUserMembers(document: SchemaDocument): SchemaDocument {
  const ofMember = (attribute: Attribute): Attribute[] => {
    if (attribute.name === "display") return [];
    if (attribute.name === "type") return [{ ...attribute, canonicalValues: ["User"] }];
    return [attribute.name === "$ref" ? { ...attribute, referenceTypes: ["User"] } : attribute];
  };
  const attributes = document.attributes.map((attribute) =>
    attribute.name === "displayName"
      ? { ...attribute, uniqueness: "server" as const }
      : { ...attribute, subAttributes: attribute.subAttributes?.flatMap(ofMember) ?? [] },
  );
  return { ...document, attributes };
}

// The inferred type of the JSON has strings where the standard has a choice of words.
const [fullUserSchema, fullExtensionSchema, fullGroupSchema] = documents as unknown as [
  SchemaDocument,
  SchemaDocument,
  SchemaDocument,
];
const user = supportedSchema(fullUserSchema);
const enterpriseUser = supportedSchema(fullExtensionSchema);
const group = withUserMembers(fullGroupSchema);

/** The schemas of a user, of its extension, and of a group, as /Schemas returns them. */
export const schemaDocuments = [user, enterpriseUser, group] as const;

export const userSchema = user.id;
export const enterpriseSchema = enterpriseUser.id;
export const groupSchema = group.id;

const simpleAttribute = (name: string, rest: Partial<Attribute> = {}): Attribute => ({
  name,
  type: "string",
  multiValued: false,
  caseExact: true,
  mutability: "readOnly",
  returned: "default",
  ...rest,
});

/** Attributes of every resource (RFC 7643 section 3.1). */
const commonAttributes: Attribute[] = [
  simpleAttribute("schemas", { multiValued: true, returned: "always" }),
  simpleAttribute("id", { returned: "always" }),
  simpleAttribute("externalId", { mutability: "readWrite" }),
  simpleAttribute("meta", {
    type: "complex",
    subAttributes: [
      simpleAttribute("resourceType"),
      simpleAttribute("created", { type: "dateTime" }),
      simpleAttribute("lastModified", { type: "dateTime" }),
      simpleAttribute("location"),
      simpleAttribute("version"),
    ],
  }),
];

/** The extension as one complex attribute. Its name is its URN, as in a user. */
const extension = simpleAttribute(enterpriseSchema, {
  type: "complex",
  mutability: "readWrite",
  subAttributes: enterpriseUser.attributes,
});

/** A type of resource: its schema, and all of its attributes. */
export interface ResourceKind {
  name: "User" | "Group";
  schema: string;
  attributes: readonly Attribute[];
}

export const userKind: ResourceKind = {
  name: "User",
  schema: userSchema,
  attributes: [...commonAttributes, ...user.attributes, extension],
};

export const groupKind: ResourceKind = {
  name: "Group",
  schema: groupSchema,
  attributes: [...commonAttributes, ...group.attributes],
};

const byName = new WeakMap<readonly Attribute[], Map<string, Attribute>>();

/** Finds an attribute by its name, ignoring case (RFC 7643 section 2.1). */
export function attributeNamed(
  attributes: readonly Attribute[],
  name: string,
): Attribute | undefined {
  const known =
    byName.get(attributes) ??
    new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]));
  byName.set(attributes, known);
  return known.get(name.toLowerCase());
}

/**
 * The attributes along a path, such as `name.familyName` or `urn:…:User:manager.displayName`. `within` is a value of the
 * resource that the path starts at. Undefined if one of the names is unknown.
 */
export function resolvePath(
  path: string,
  kind: ResourceKind = userKind,
  within: readonly Attribute[] = kind.attributes,
): Attribute[] | undefined {
  const lower = path.toLowerCase();
  const extensionPath = enterpriseSchema.toLowerCase();
  if (kind === userKind && lower === extensionPath) return [extension];
  if (kind === userKind && lower.startsWith(`${extensionPath}:`)) {
    const inner = resolveSteps(
      path.slice(enterpriseSchema.length + 1),
      extension.subAttributes ?? [],
    );
    return inner && [extension, ...inner];
  }
  const isCore = lower.startsWith(`${kind.schema.toLowerCase()}:`);
  return resolveSteps(isCore ? path.slice(kind.schema.length + 1) : path, within);
}

function resolveSteps(path: string, attributes: readonly Attribute[]): Attribute[] | undefined {
  const resolved: Attribute[] = [];
  let within = attributes;
  for (const step of path.split(".")) {
    const attribute = attributeNamed(within, step);
    if (!attribute) return undefined;
    resolved.push(attribute);
    within = attribute.subAttributes ?? [];
  }
  return resolved;
}
