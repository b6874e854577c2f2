/** The check of resources names each missing piece. */
import { clearExtension, clone, type DescService } from "@bufbuild/protobuf";
import { MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { sourceFiles } from "../../../cli/check/files.ts";
import { type Facts, factsOf } from "../../../cli/check/resource_facts.ts";
import { resourceBreaches } from "../../../cli/check/resources.ts";
import { http } from "../../../schema/gen/google/api/annotations_pb.js";
import { events, iam } from "../../../schema/gen/platform/annotations/v1/annotations_pb.js";
import { root } from "../command.ts";

const facts = await factsOf(root, sourceFiles(root));

test("no resource of the platform lacks a piece", () => {
  expect(resourceBreaches(facts)).toEqual([]);
});

/** The Repos service without one option of CreateRepo. */
const withoutOption = (option: typeof http | typeof iam | typeof events): Partial<Facts> => ({
  services: facts.services.map(
    (service): DescService =>
      service.typeName === "platform.registry.v2.ReposService"
        ? {
            ...service,
            methods: service.methods.map((method) => {
              if (method.name !== "CreateRepo" || !method.proto.options) return method;
              const options = clone(MethodOptionsSchema, method.proto.options);
              clearExtension(options, option);
              return { ...method, proto: { ...method.proto, options } };
            }),
          }
        : service,
  ),
});

/** The files, with a text replaced in one of them. */
const withText = (in_: RegExp, from: string, to = ""): Partial<Facts> => ({
  text: (path) => (in_.test(path) ? facts.text(path).replaceAll(from, to) : facts.text(path)),
});

const without = (list: string[], one: string) => list.filter((name) => name !== one);

const pieces: [missing: string, facts: Partial<Facts>, lines: string[]][] = [
  [
    "a test file",
    { paths: without(facts.paths, "test/registry/repos/repos.test.ts") },
    [
      "registry/Repo: no file repos.test.ts in test/registry: add one that states what the resource guarantees",
    ],
  ],
  [
    "a table",
    { tables: without(facts.tables, "repos") },
    [
      "registry/Repo: no file of schema/tables has a table repos: add schema/tables/registry/repos.ts",
    ],
  ],
  [
    "a trigger",
    { triggers: without(facts.triggers, "repos_require_parent") },
    [
      "registry/Repo: its table file does not ask for the triggers require_parent: add them to its `triggers` (schema/tables/triggers.ts)",
    ],
  ],
  [
    "a migration",
    { migrated: without(facts.migrated, "repos") },
    ["registry/Repo: no migration creates the table repos. Run: npm run migration -- create_repos"],
  ],
  [
    "handlers",
    withText(/^src\/registry\//, "service(ReposService, "),
    ["registry/Repo: no file of src/registry has handlers: add service(ReposService, …) to one"],
  ],
  [
    "a line in worker.ts",
    withText(/^src\/registry\/worker\.ts$/, "  reposService,\n"),
    ["registry/Repo: src/registry/worker.ts does not list reposService in its services: add it"],
  ],
  [
    "a capability",
    withoutOption(iam),
    [
      "registry/Repo: CreateRepo does not say who may call it: add option platform.annotations.v1.iam",
    ],
  ],
  [
    "an event",
    withoutOption(events),
    ["registry/Repo: CreateRepo has no event: add option platform.annotations.v1.events"],
  ],
  [
    "a path",
    withoutOption(http),
    ["registry/Repo: CreateRepo has no path: add option google.api.http"],
  ],
  [
    "an operation of the OpenAPI document",
    { documented: without(facts.documented, "platform.registry.v2.ReposService/GetRepo") },
    ["registry/Repo: GetRepo is not in schema/gen/openapi.json. Run: npm run gen"],
  ],
  [
    "a line in routes.txt",
    { routes: facts.routes.replace("ReposService/GetRepo ", "") },
    [
      "registry/Repo: GetRepo is not in test/contract/routes.txt. Run: UPDATE_GOLDEN=1 npx vitest run test/contract/surface.test.ts",
    ],
  ],
  [
    "a fixture",
    withText(/fixtures\.ts$/, "SubscriptionsService"),
    [
      "events/Subscription: SubscriptionsService has no fixture: add one to test/contract/fixtures.ts",
    ],
  ],
  [
    "a request that makes the event",
    withText(/^test\/contract\/changes\//, '"TagsService/CreateTag"'),
    [
      'registry/Tag: no test knows how to call CreateTag: add "TagsService/CreateTag" to a file of test/contract/changes',
    ],
  ],
  [
    "a race",
    withText(/^test\/races\/writes\//, '"TagsService/CreateTag"'),
    [
      'registry/Tag: CreateTag has no race test: add "TagsService/CreateTag" to a file of test/races/writes',
    ],
  ],
];

test.each(pieces)("a resource without %s is reported, with what to do", (_, lacking, lines) => {
  expect(resourceBreaches({ ...facts, ...lacking })).toEqual(lines);
});
