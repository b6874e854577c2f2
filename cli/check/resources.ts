/**
 * Lists the missing pieces of each version 2 resource in words, so that no one has to find them through a failing test.
 */
import {
  type DescMessage,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { http } from "../../schema/gen/google/api/annotations_pb.js";
import { resource } from "../../schema/gen/google/api/resource_pb.js";
import {
  events,
  iam,
  unimplemented_reason,
} from "../../schema/gen/platform/annotations/v1/annotations_pb.js";
import { domainOf } from "./deployment.ts";
import type { Facts } from "./resource_facts.ts";

/** A resource, and the service of its standard methods. */
type Resource = {
  /** Such as `registry/Repo`. */
  name: string;
  domain: string;
  /** The name of its table and of its files, such as `vuln_reports`. */
  plural: string;
  message: DescMessage;
  service: DescService;
};

/** Returns a line for each missing piece: `events/Webhook: no file test/events/webhooks.test.ts`. */
export const resourceBreaches = (facts: Facts): string[] =>
  facts.services
    .filter(({ file }) => /^platform\.\w+\.v2$/.test(file.proto.package))
    .flatMap((service) => {
      const resource = resourceOf(service);
      const name = resource?.name ?? service.typeName;
      const lines = [
        ...serviceBreaches(facts, service),
        ...service.methods
          .filter((method) => !hasOption(method, unimplemented_reason))
          .flatMap((method) => methodBreaches(facts, method, resource)),
        ...(resource && creates(resource) ? ownBreaches(facts, resource) : []),
      ];
      return lines.map((line) => `${name}: ${line}`);
    });

const snake = (camel: string) => camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the resource that a service is named after. */
function resourceOf(service: DescService): Resource | undefined {
  const message = service.file.messages.find(
    (candidate) =>
      hasOption(candidate, resource) &&
      service.methods.some(
        ({ name }) => name === `Get${candidate.name}` || name === `Create${candidate.name}`,
      ),
  );
  if (!message) return undefined;
  const domain = domainOf(service);
  const plural = snake(getOption(message, resource).plural);
  return { name: `${domain}/${message.name}`, domain, plural, message, service };
}

const creates = ({ service, message }: Resource) =>
  service.methods.some(({ name }) => name === `Create${message.name}`);

/** A service needs handlers and a Worker that lists the service. */
function serviceBreaches({ paths, text }: Facts, service: DescService): string[] {
  const domain = domainOf(service);
  const own = paths.filter((path) => path.startsWith(`src/${domain}/`));
  const handlers = own.find((path) => text(path).includes(`service(${service.name}, `));
  if (!handlers)
    return [`no file of src/${domain} has handlers: add service(${service.name}, …) to one`];
  const [, name = ""] =
    new RegExp(`export const (\\w+) = service\\(${service.name}, `).exec(text(handlers)) ?? [];
  const worker = text(`src/${domain}/worker.ts`);
  const [, list = ""] = /export const services = \[([^\]]*)\]/.exec(worker) ?? [];
  const isServed = list.split(/[\s,]+/).includes(name);
  return isServed
    ? []
    : [`src/${domain}/worker.ts does not list ${name || "it"} in its services: add it`];
}

const isWrite = ({ name }: DescMethod) => /^(?:Create|Update|Delete)/.test(name);

/** An RPC needs its options, and must be in the generated files. */
function methodBreaches(
  facts: Facts,
  method: DescMethod,
  resource: Resource | undefined,
): string[] {
  const { name, parent } = method;
  const [full, short] = [`${parent.typeName}/${name}`, `${parent.name}/${name}`];
  const isStandard =
    resource !== undefined && hasStandardFields(resource) && isStandardMethod(method, resource);
  const isIn = (folder: RegExp) =>
    facts.paths.some((path) => folder.test(path) && facts.text(path).includes(`"${short}"`));
  const missing: [boolean, string][] = [
    [
      !hasOption(method, iam),
      `${name} does not say who may call it: add option platform.annotations.v1.iam`,
    ],
    [!hasOption(method, http), `${name} has no path: add option google.api.http`],
    [
      isWrite(method) && !hasOption(method, events),
      `${name} has no event: add option platform.annotations.v1.events`,
    ],
    [
      hasOption(method, http) && !facts.documented.includes(full),
      `${name} is not in schema/gen/openapi.json. Run: npm run gen`,
    ],
    [
      hasOption(method, http) && !facts.routes.includes(` ${full} `),
      `${name} is not in test/contract/routes.txt. Run: UPDATE_GOLDEN=1 npx vitest run test/contract/surface.test.ts`,
    ],
    [
      hasOption(method, events) && !isStandard && !isIn(/^test\/contract\/changes\/\w+\.ts$/),
      `no test knows how to call ${name}: add "${short}" to a file of test/contract/changes`,
    ],
    [
      hasOption(method, events) && !isStandard && !isIn(/^test\/races\/writes\/\w+\.ts$/),
      `${name} has no race test: add "${short}" to a file of test/races/writes`,
    ],
  ];
  return missing.flatMap(([isMissing, line]) => (isMissing ? [line] : []));
}

/** Whether the contract tests derive their fixtures and requests from the proto (test/contract/standard.ts). */
const hasStandardFields = ({ message }: Resource) =>
  ["name", "description"].every((name) => message.fields.some((field) => field.name === name));

const isStandardMethod = ({ name }: DescMethod, { message }: Resource) =>
  ["Create", "Update", "Delete"].some((verb) => name === `${verb}${message.name}`);

/** The pieces that a resource needs in addition to its proto. */
function ownBreaches(facts: Facts, resource: Resource): string[] {
  const { domain, plural, service } = resource;
  const test = `${plural}.test.ts`;
  const isTested = facts.paths.some(
    (path) => path.startsWith(`test/${domain}/`) && path.endsWith(`/${test}`),
  );
  const lists = service.methods.some(({ name }) => name.startsWith("List"));
  const triggers = [
    ...["require_parent"],
    ...(lists ? ["count_insert", "count_delete"] : []),
  ].filter((suffix) => !facts.triggers.includes(`${plural}_${suffix}`));
  const isFixture =
    hasStandardFields(resource) ||
    facts.text("test/contract/fixtures.ts").includes(`${service.name}`);
  const missing: [boolean, string][] = [
    [
      !isTested,
      `no file ${test} in test/${domain}: add one that states what the resource guarantees`,
    ],
    [
      !facts.tables.includes(plural),
      `no file of schema/tables has a table ${plural}: add schema/tables/${domain}/${plural}.ts`,
    ],
    [
      facts.tables.includes(plural) && triggers.length > 0,
      `its table file does not ask for the triggers ${triggers.join(", ")}: add them to its \`triggers\` (schema/tables/triggers.ts)`,
    ],
    [
      facts.tables.includes(plural) && !facts.migrated.includes(plural),
      `no migration creates the table ${plural}. Run: npm run migration -- create_${plural}`,
    ],
    [!isFixture, `${service.name} has no fixture: add one to test/contract/fixtures.ts`],
  ];
  return missing.flatMap(([isMissing, line]) => (isMissing ? [line] : []));
}
