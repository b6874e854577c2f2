/**
 * The registry host, which serves no RPCs: tokens, the Tag History API, and the version check of the
 * OCI distribution specification (src/distribution). Written by hand.
 */
import { type Chapter, content, type OperationObject, type ResponseObject, ref } from "../form.ts";
import { unavailableText } from "../refusals.ts";
import { sample } from "../sample.ts";
import { registrySchemas } from "./registry_schemas.ts";

const servers = [{ url: "https://registry.example.com", description: "The registry host" }];

const errors = (description: string, ...examples: [string, string][]): ResponseObject => ({
  description,
  content: content(
    ref("schemas", "RegistryErrors"),
    Object.fromEntries(examples.map(([code, message]) => [code, { errors: [{ code, message }] }])),
  ),
});

const unauthorized = (message: string): ResponseObject => ({
  ...errors("UNAUTHORIZED: no token where one is needed, or one that proves nothing.", [
    "UNAUTHORIZED",
    message,
  ]),
  headers: {
    "www-authenticate": {
      description: "Where to get a token, and the scope that this request needs (RFC 6750).",
      schema: { type: "string" },
    },
  },
});

const databaseText = unavailableText.replace(/^Unavailable: /, "");

const failures: Record<string, ResponseObject> = {
  405: errors("UNSUPPORTED: another verb than GET and HEAD.", [
    "UNSUPPORTED",
    "POST is not supported here",
  ]),
  500: errors("UNKNOWN: ours to mend.", ["UNKNOWN", "Internal error"]),
  503: errors("UNAVAILABLE: the database, or the issuer of the token, does not answer.", [
    "UNAVAILABLE",
    databaseText,
  ]),
};

const noHeader = "the request carries no Authorization header";

const wrongAudience: [string, string] = [
  "DENIED",
  "the token is not for the audience registry.example.com",
];

const token: OperationObject = {
  operationId: "getRegistryToken",
  summary: "Get registry token",
  description:
    "A token for one image, good for five minutes (distribution token specification). For the public " +
    "namespace anyone gets one that pulls. For any other, authenticate with a token of the registry " +
    "audience, as Bearer or as Basic with the user `_token`; without a scope the new token only logs " +
    "in. It holds those of the actions asked for that the caller may take: `pull` needs `repo.list` " +
    "and `tag.list`.",
  tags: ["RegistryTokens"],
  parameters: [
    {
      name: "scope",
      in: "query",
      description: "The image and what to do with it: `repository:<namespace>/<image>:pull`.",
      schema: { type: "string" },
      example: "repository:public/nginx:pull",
    },
    {
      name: "service",
      in: "query",
      description: "The registry audience, as the challenge of a 401 tells it.",
      schema: { type: "string" },
      example: "registry.example.com",
    },
  ],
  responses: {
    200: {
      description: "The token, under both names that clients look for.",
      content: content(ref("schemas", "RegistryToken"), {
        example: {
          token: "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm9ueW1vdXMifQ.c2lnbmF0dXJl",
          access_token: "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm9ueW1vdXMifQ.c2lnbmF0dXJl",
          expires_in: 300,
          issued_at: "2026-01-28T12:54:21.189Z",
        },
      }),
    },
    400: errors(
      "NAME_INVALID or QUERY_INVALID: what is asked for cannot be read.",
      ["QUERY_INVALID", "scope must be of the form repository:<namespace>/<image>:pull"],
      [
        "NAME_INVALID",
        "the name is not of the form <namespace>/<image> in lower-case words, " +
          "parted by dots, dashes, underscores or slashes",
      ],
    ),
    401: unauthorized(
      "without a login, a token needs a scope: repository:<namespace>/<image>:pull",
    ),
    403: errors(
      "DENIED: a good token that does not reach this, or of another audience.",
      wrongAudience,
    ),
    404: errors("NAME_UNKNOWN: no such repository.", [
      "NAME_UNKNOWN",
      "there is no repository example.com/perl",
    ]),
    ...failures,
  },
  security: [{}, { registryToken: [] }, { registryLogin: [] }],
};

const tagHistory: OperationObject = {
  operationId: "getTagHistory",
  summary: "Get tag history",
  description:
    "The digests that a tag has pointed to, oldest first; the history outlives the tag. `start` and " +
    "`end` are inclusive; a date without a time means the whole day, a time without a zone is UTC. At " +
    "most 1000 records are answered, and then the `Link` header has the address of the next ones.\n\n" +
    "Pull an older build by its digest: `registry.example.com/<namespace>/<image>@<digest>`.",
  tags: ["TagHistory"],
  parameters: [
    {
      name: "namespace",
      in: "path",
      required: true,
      description:
        "An organization's uid, or its name once it is verified; or the public namespace.",
      schema: { type: "string" },
      example: "public",
    },
    {
      name: "image",
      in: "path",
      required: true,
      description: "The name of the repo. Its slashes stand as they are.",
      schema: { type: "string" },
      example: "nginx",
    },
    {
      name: "tag",
      in: "path",
      required: true,
      description: "The tag. Without a login only `latest` and `latest-dev` of public images.",
      schema: { type: "string", pattern: "^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$" },
      example: "latest",
    },
    ...["start", "end"].map((name) => ({
      name,
      in: "query",
      description: `${name === "start" ? "The first" : "The last"} moment to tell of, in ISO 8601.`,
      schema: { type: "string" },
      example: name === "start" ? "2026-01-01" : "2026-01-31T12:00:00Z",
    })),
  ],
  responses: {
    200: {
      description: "The records, oldest first.",
      headers: {
        link: {
          description: 'The next records, `rel="next"` (RFC 8288). Absent with the last ones.',
          schema: { type: "string" },
        },
      },
      content: content(ref("schemas", "TagHistory"), {
        example: {
          history: [{ updateTimestamp: "2026-06-08T18:22:45.000Z", digest: sample.digest }],
        },
      }),
    },
    400: errors(
      "NAME_INVALID, TAG_INVALID or QUERY_INVALID: what is asked for cannot be read.",
      ["TAG_INVALID", "a tag is 1 to 128 letters, digits, dots, dashes and underscores"],
      ["QUERY_INVALID", "start must not be later than end"],
    ),
    401: unauthorized(noHeader),
    403: errors(
      "DENIED: the token is for another image or audience, or its bearer may not pull this one. It " +
        "reads the same whether image and tag exist or not.",
      wrongAudience,
    ),
    404: errors(
      "NAME_UNKNOWN: no such repository. MANIFEST_UNKNOWN: no such tag ever pointed to an image.",
      ["NAME_UNKNOWN", "there is no repository public/perl"],
      ["MANIFEST_UNKNOWN", "no tag 0.1 of the repository has ever pointed to an image"],
    ),
    ...failures,
  },
  security: [{ registryToken: [] }],
};

const check: OperationObject = {
  operationId: "checkRegistryVersion",
  summary: "Check registry version",
  description:
    "The version check of the OCI distribution specification, by which clients find out whether they " +
    "are logged in. Images themselves are not served here: other paths below `/v2/` answer UNSUPPORTED.",
  tags: ["RegistryTokens"],
  responses: {
    200: { description: "Logged in.", content: content({ type: "object" }, { example: {} }) },
    401: unauthorized(noHeader),
    403: errors("DENIED: a token of another audience.", wrongAudience),
    ...failures,
  },
  security: [{ registryToken: [] }, { registryLogin: [] }],
};

const group = "Registry host";

/** What the registry host serves. */
export const registryChapter: Chapter = {
  tags: [
    {
      name: "TagHistory",
      title: "Tag history",
      description: "What a tag has pointed to, by the names that image references have.",
      group,
    },
    {
      name: "RegistryTokens",
      title: "Registry tokens",
      description: "Tokens for images, and whether one is good.",
      group,
    },
  ],
  paths: {
    "/v2/{namespace}/{image}/_vendor/history/{tag}": { servers, get: tagHistory },
    "/token": { servers, get: token },
    "/v2/": { servers, get: check },
  },
  schemas: registrySchemas,
  securitySchemes: {
    registryToken: {
      type: "http",
      scheme: "bearer",
      description: "A token of `/token`, or an access token for the registry audience.",
    },
    registryLogin: {
      type: "http",
      scheme: "basic",
      description: "The user `_token`, and an access token for the registry audience as password.",
    },
  },
};
