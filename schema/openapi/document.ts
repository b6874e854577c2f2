/** Writes schema/gen/openapi.json, the OpenAPI document of everything that the platform serves over HTTP. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod, FileRegistry, JsonObject } from "@bufbuild/protobuf";
import { servicesOf } from "../describe/protos.ts";
import { httpRules, unimplementedReason } from "../options.ts";
import { moveToComponents, operationsOf } from "./components.ts";
import type { Chapter, Parameter, PathItem, Tag } from "./form.ts";
import { issuerChapter } from "./hosts/issuer.ts";
import { registryChapter } from "./hosts/registry.ts";
import { introduction } from "./introduction.ts";
import { Messages } from "./messages.ts";
import { inReadingOrder, pathsOf } from "./rpcs.ts";
import { scimChapter } from "./scim/scim.ts";
import { statusSchemas } from "./status.ts";
import { groupTitles, tagOf, tagRank } from "./tags.ts";
import { jsonNames } from "./text.ts";

const chapters: Chapter[] = [issuerChapter, registryChapter, scimChapter];

/** Generates the document of a project from its protos and their comments, and writes it. */
export function writeOpenapi(root: string, registry: FileRegistry): void {
  const text = JSON.stringify(openapiOf(registry), null, 1);
  writeFileSync(join(root, "schema/gen/openapi.json"), `${text}\n`);
}

function openapiOf(registry: FileRegistry): JsonObject {
  const methods = servicesOf(registry)
    .flatMap((service) => service.methods)
    .filter((method) => unimplementedReason(method) === undefined);
  const messages = new Messages(
    jsonNames(registry),
    methods.map(({ output }) => output),
  );
  const examples: JsonObject = {};
  const paths = inReadingOrder(pathsOf(inOrder(methods), { messages, examples }));
  addFormats(paths);
  for (const chapter of chapters) addEntries(paths, chapter.paths);
  const { parameters, responses } = moveToComponents(paths, nameOf);
  const schemas: Record<string, JsonObject> = { ...messages.components };
  for (const more of [statusSchemas, ...chapters.map((chapter) => chapter.schemas)])
    addEntries(schemas, more);
  return {
    openapi: "3.1.0",
    info: {
      title: "Platform API",
      version: "2.0.0",
      description: introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "https://api.example.com", description: "The API" }],
    security: [{ accessToken: [] }],
    ...tagsOf(paths, methods),
    paths: paths as unknown as JsonObject,
    components: {
      schemas: sorted(schemas),
      parameters,
      responses,
      examples: sorted(examples),
      securitySchemes: securitySchemes(),
    },
  };
}

/** Sorts methods by the order of the tags' groups. Within a domain, the order of the protos is kept. */
function inOrder(methods: DescMethod[]): DescMethod[] {
  const rank = ({ parent }: DescMethod) => {
    const [, domain = ""] = parent.typeName.split(".");
    const order = ["iam", "registry", "vulnerabilities", "libraries", "advisory", "events"];
    return (order.indexOf(domain) + order.length + 1) % (order.length + 1);
  };
  return methods.toSorted((a, b) => rank(a) - rank(b));
}

/** Adds entries to a table. Throws an Error if the table already has one of them. */
function addEntries<T>(table: Record<string, T>, entries: Record<string, T>): void {
  for (const [name, entry] of Object.entries(entries)) {
    if (name in table) throw new Error(`the OpenAPI document already contains ${name}`);
    table[name] = entry;
  }
}

const sorted = (table: JsonObject | Record<string, JsonObject>): JsonObject =>
  Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));

const securitySchemes = (): JsonObject => ({
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "An access token, which `platformctl auth token` prints. It can also be an OIDC token of another issuer if an " +
      "identity names its issuer and subject.",
  },
  upstreamToken: {
    type: "http",
    scheme: "bearer",
    description:
      "The token to exchange: an OIDC token of another issuer, or a signed request of AWS.",
  },
  refreshToken: {
    type: "http",
    scheme: "bearer",
    description: "A refresh token. It works only once.",
  },
  ...Object.assign({}, ...chapters.map((chapter) => chapter.securitySchemes ?? {})),
});

/** Returns the tags that operations use, and their groups, with version 2 first. */
function tagsOf(paths: Record<string, PathItem>, methods: DescMethod[]): JsonObject {
  const used = Object.values(paths)
    .flatMap(operationsOf)
    .flatMap((chapter) => chapter.tags);
  const known = new Map<string, Tag>();
  for (const tag of [
    ...methods.flatMap(tagsOfMethod),
    ...chapters.flatMap((chapter) => chapter.tags),
  ]) {
    if (!known.has(tag.name)) known.set(tag.name, tag);
  }
  const tags = [...new Set(used)].map((name) => {
    const tag = known.get(name);
    if (!tag) throw new Error(`no description of the tag ${name}`);
    return tag;
  });
  const titles = [...new Set(tags.map(({ group }) => group))].sort((a, b) => rankOf(a) - rankOf(b));
  return {
    tags: tags.map(({ name, title, description }) => ({
      name,
      "x-displayName": title,
      ...(description === "" ? {} : { description }),
    })),
    "x-tagGroups": titles.map((title) => ({
      name: title,
      tags: tags
        .filter(({ group }) => group === title)
        .map(({ name }) => name)
        .sort((a, b) => tagRank(a) - tagRank(b)),
    })),
  };
}

const tagsOfMethod = (method: DescMethod): Tag[] =>
  httpRules(method).map(({ path }) => tagOf(method, path));

/** Returns the position of a group, with version 2 first. Throws an Error if tags.ts does not list it. */
function rankOf(title: string): number {
  const position = groupTitles.indexOf(title.replace(v1Prefix, ""));
  if (position === -1)
    throw new Error(`the group ${title} has no position in the order: add it to tags.ts`);
  return title.startsWith(v1Prefix) ? groupTitles.length + position : position;
}

const v1Prefix = "Version 1: ";

/**
 * Describes `GET …?format=`, which returns an advisory as a document. ExportAdvisory implements it, so no
 * proto mentions it.
 */
function addFormats(paths: Record<string, PathItem>): void {
  const operation = paths["/vulnerabilities/v2/advisories/{uid}"]?.get;
  const success = operation?.responses[200];
  if (!operation || !success) throw new Error("there is no GetAdvisory");
  const format: Parameter = {
    name: "format",
    in: "query",
    description:
      "Returns the advisory as a document: an OSV record, an OpenVEX document or a CSAF document. The media type in " +
      "`Accept` has the same effect.",
    schema: { type: "string", enum: ["json", "osv", "openvex", "csaf"], default: "json" },
  };
  operation.parameters = [...(operation.parameters ?? []), format];
  const document = { schema: { type: "object", additionalProperties: true } };
  success.content = {
    ...(success.content as JsonObject),
    "application/vnd.osv+json": document,
    "application/vnd.openvex+json": document,
    "application/csaf+json": document,
  };
}

const codeNames: Record<string, string> = {
  400: "InvalidArgument",
  401: "Unauthenticated",
  403: "PermissionDenied",
  404: "NotFound",
  409: "Conflict",
  412: "Stale",
  413: "TooLarge",
  415: "UnsupportedMediaType",
  422: "KeyReused",
  429: "ResourceExhausted",
  500: "Internal",
  501: "Unimplemented",
  503: "Unavailable",
};

/** Returns a name for a response that several operations share: its code, its domain, and its subject. */
function nameOf(answer: JsonObject, status: string): string {
  const text = JSON.stringify(answer);
  const code = codeNames[status] ?? `Status${status}`;
  if (text.includes("urn:ietf:params:scim")) return `${code}.scim`;
  if (text.includes("RegistryErrors")) return `${code}.registryHost`;
  const [, errorDomain, referred] =
    /"domain":"([a-z]+)\.|examples\/[A-Z_]+\.([a-z]+)/.exec(text) ?? [];
  const domain = errorDomain ?? referred ?? "platform";
  const [, needed] =
    /you need the capabilit(?:y|ies) ([a-z_.]+(?:, [a-z_.]+)*) on the/.exec(text) ?? [];
  const [, field] = /"field":"([a-z_.]+)/.exec(text) ?? [];
  const [, type] = /"resourceType":"[^/]+\/(\w+)"/.exec(text) ?? [];
  const about = needed?.replaceAll(", ", "-") ?? field ?? type;
  const version = text.includes(".v1") ? ".v1" : "";
  return [code, domain, ...(about ? [about] : [])].join(".") + version;
}
