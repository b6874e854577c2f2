/**
 * The allowed imports of each room: the table of docs/ARCHITECTURE.md, for dependency-cruiser. It reads TypeScript
 * by swc, which does not know `using`: a file with one fails the check.
 */

/** The rooms that a domain may import. A domain is a folder of src that the table does not name. */
const ofDomains = [
  ...["src/rpc", "src/resource", "src/paging", "src/idempotency", "src/outbox", "src/auth"],
  ...["src/aip", "src/limits", "src/packages", "src/matching", "src/signatures"],
  ...["src/telemetry", "schema", "src/config.ts"],
];

/** The rooms that each room may import. */
const table = {
  schema: [],
  "src/config_values.ts": [],
  "src/rate_limits_setting.ts": ["src/config_values.ts", "schema/deployment/rate_limits.ts"],
  "src/config.ts": ["src/config_values.ts", "src/rate_limits_setting.ts"],
  "src/packages": [],
  "src/matching": ["src/packages", "src/outbox", "src/auth", "src/aip", "schema", "src/config.ts"],
  "src/signatures": ["src/aip"],
  "src/telemetry": ["src/config.ts"],
  "src/aip": ["schema", "src/config.ts"],
  "src/auth": ["src/aip", "src/telemetry", "schema", "src/config.ts"],
  "src/limits": ["src/auth", "src/aip", "schema", "src/config.ts"],
  "src/paging": ["src/auth", "src/aip", "schema", "src/config.ts"],
  "src/outbox": ["src/auth", "src/aip", "src/telemetry", "schema", "src/config.ts"],
  "src/idempotency": ["src/outbox", "src/auth", "src/aip", "schema", "src/config.ts"],
  "src/resource": ["src/outbox", "src/auth", "src/aip", "schema", "src/config.ts"],
  "src/rpc": [
    ...["src/limits", "src/paging", "src/idempotency", "src/auth", "src/aip", "src/telemetry"],
    ...["schema", "src/config.ts"],
  ],
  // People join groups at a sign-in, by the rules of IAM.
  "src/issuer": [...ofDomains, "src/iam"],
  // A push writes tags, manifests, SBOMs and VEX by the rules of their resources. A login with the token of a workload is
  // an exchange of the issuer.
  "src/distribution": [
    ...[...ofDomains, "src/registry", "src/vulnerabilities"],
    ...["src/issuer/foreign_token.ts", "src/issuer/issued_token.ts"],
  ],
  // A tool call is made and read in the same way by platformctl, so that code is outside of src.
  "src/mcp": [...ofDomains, "mcp", "client"],
  "src/platform.ts": [
    "src/[a-z]+/worker.ts",
    "src/rpc",
    "src/config.ts",
    "schema/deployment/workers.ts",
  ],
  // The tools are a client of the API: they make requests of its operations.
  mcp: ["schema/gen", "client"],
  client: [],
  // The build of the site contains that of the console.
  site: ["console/build.ts"],
  examples: ["client"],
  // The check of the database reads names and versions like the platform.
  cli: ["src/packages", "schema", "client", "mcp", "site", "console/build.ts"],
};

const beginsWith = (room) =>
  room.endsWith(".ts") ? `^${room.replace(".ts", "\\.ts")}$` : `^${room}/`;
const ours = "^(?:\\.|src/|schema/|client/|mcp/|site/|console/|cli/|bench/|examples/|test/)";
const rule = (name, from, to) => ({ name, severity: "error", from, to });
const orNothing = (rooms) => rooms.join(", ") || "libraries only";

/** Parts of schema that run on Node: a Worker with one of them would carry the descriptor of every proto. */
const forNode = ["^schema/(?:describe|openapi|client|mcp|scim)/", "^schema/descriptors\\.ts$"];

export default {
  forbidden: [
    ...Object.entries(table).map(([room, others]) =>
      rule(
        `${room} may import ${orNothing(others)}`,
        { path: beginsWith(room) },
        { path: ours, pathNot: [room, ...others].map(beginsWith) },
      ),
    ),
    rule(
      `a domain may import ${orNothing(ofDomains)}`,
      { path: "^src/([^/]+)/", pathNot: Object.keys(table).map(beginsWith) },
      { path: ours, pathNot: ["^src/$1/", ...ofDomains.map(beginsWith)] },
    ),
    rule(
      "bench imports of test only test/world",
      { path: "^bench/" },
      { path: "^test/(?!world/)" },
    ),
    rule(
      "what runs in Workers imports nothing that is for Node",
      { path: "^(?:src/|schema/(?:options\\.ts$|tables/|validation/))" },
      { path: forNode },
    ),
    rule(
      "client has no libraries, and only its entry for Node imports from Node",
      { path: "^client/", pathNot: "^client/webhooks/token\\.ts$" },
      { dependencyTypesNot: ["core"], pathNot: "^client/" },
    ),
    // Only receivers verify tokens, so only their entry carries a library for that.
    rule(
      "client/webhooks/token.ts imports jose and no other library",
      { path: "^client/webhooks/token\\.ts$" },
      { dependencyTypesNot: ["core"], pathNot: ["^client/", "node_modules/jose/"] },
    ),
    rule(
      "only client/webhooks.ts and its folder import from client/webhooks",
      { path: "^client/", pathNot: "^client/webhooks(?:\\.ts$|/)" },
      { path: "^client/webhooks" },
    ),
    rule(
      "only client/node.ts imports from Node in client",
      { path: "^client/", pathNot: "^client/node\\.ts$" },
      { dependencyTypes: ["core"] },
    ),
    rule(
      "what is ours is imported by a relative name",
      {},
      { couldNotResolve: true, pathNot: "^cloudflare:" },
    ),
    rule("nothing outside of the project is imported", {}, { path: "^(?:\\.\\.|/)" }),
    rule("no circles, of types either", {}, { circular: true }),
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: ["node_modules", "^schema/gen/", "^client/gen/"] },
    exclude: { path: ["^site/dist/", "^client/dist/"] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["checkout", "import", "node"],
    },
  },
};
