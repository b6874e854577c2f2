/**
 * The registry host, which has no RPCs: tokens, the Tag History API, and the version check of the OCI
 * distribution specification (src/distribution). Written by hand.
 */
import { type Chapter, content, type OperationObject, type ResponseObject, ref } from "../form.ts";
import { unavailableText } from "../refusals.ts";
import { sample } from "../sample.ts";
import { registrySchemas } from "./registry_schemas.ts";

const servers = [{ url: "https://registry.example.com", description: "The registry host" }];

const detail = { requestId: sample.requestId };

const errors = (description: string, ...examples: [string, string][]): ResponseObject => ({
  description,
  content: content(
    ref("schemas", "RegistryErrors"),
    Object.fromEntries(
      examples.map(([code, message]) => [code, { errors: [{ code, message, detail }] }]),
    ),
  ),
});

const unauthorized = (message: string): ResponseObject => ({
  ...errors("UNAUTHORIZED: the token is missing or not valid.", ["UNAUTHORIZED", message]),
  headers: {
    "www-authenticate": {
      description: "The URL for getting a token, and the scope that the request needs (RFC 6750).",
      schema: { type: "string" },
    },
  },
});

const databaseText = unavailableText.replace(/^Unavailable: /, "");

const failures: Record<string, ResponseObject> = {
  405: errors("UNSUPPORTED: the verb is neither GET nor HEAD.", [
    "UNSUPPORTED",
    "POST is not supported; use GET or HEAD",
  ]),
  500: errors("UNKNOWN: an error in the platform. The operator has to fix it.", [
    "UNKNOWN",
    "Internal error",
  ]),
  503: errors("UNAVAILABLE: the database or the issuer of the token does not respond.", [
    "UNAVAILABLE",
    databaseText,
  ]),
};

const noHeader = "the request has no Authorization header";

const wrongAudience: [string, string] = [
  "DENIED",
  "the token is not for the audience registry.example.com",
];

const token: OperationObject = {
  operationId: "getRegistryToken",
  summary: "Get registry token",
  description:
    "Returns a token for one or several images, which is valid for five minutes (distribution token " +
    "specification). An OAuth 2 client can send the same parameters as the form of a POST. " +
    "Anyone can get a token to pull from the public namespace. For any other namespace, authenticate with a " +
    "token for the registry audience: as Bearer, or as Basic with the user `_token`. The token of another issuer is " +
    "the password of the user `oidc`, or of the uid of an identity that accepts it. The new token contains only " +
    "those requested actions that you are allowed to take. To pull, you need `repo.list` and `tag.list`. To push, " +
    "you need `manifest.create` and `tag.create`. To delete, you need `manifest.delete` and `tag.delete`. " +
    "Without a scope, the new token is valid only for logging in.",
  tags: ["RegistryTokens"],
  parameters: [
    {
      name: "scope",
      in: "query",
      description:
        "The image and the requested actions, as in `repository:{namespace}/{image}:pull,push`. Repeat the " +
        "parameter for up to 20 images.",
      schema: { type: "array", items: { type: "string" } },
      example: ["repository:public/nginx:pull"],
    },
    {
      name: "service",
      in: "query",
      description: "The registry audience, as in the challenge of a 401.",
      schema: { type: "string" },
      example: "registry.example.com",
    },
  ],
  responses: {
    200: {
      description: "The token, in both of the fields that clients read.",
      headers: {
        "Platform-Credential-Expires": {
          description: "When the credential expires that the client logged in with (RFC 3339).",
          schema: { type: "string", format: "date-time" },
        },
      },
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
      "NAME_INVALID or QUERY_INVALID: the request cannot be parsed.",
      [
        "QUERY_INVALID",
        'scope must have the form repository:<namespace>/<image>:pull; you sent "pull"',
      ],
      [
        "NAME_INVALID",
        "the name must have the form <namespace>/<image>, in lowercase letters and digits " +
          'separated by dots, hyphens, underscores or slashes; you sent "Python"',
      ],
    ),
    401: unauthorized(
      "without a login, a token needs a scope such as repository:<namespace>/<image>:pull",
    ),
    403: errors(
      "DENIED: the token is valid, but gives no access to the image or has another audience.",
      wrongAudience,
    ),
    ...failures,
    405: errors("UNSUPPORTED: the verb is not GET, HEAD or POST.", [
      "UNSUPPORTED",
      "PUT is not supported; use GET, HEAD, or POST",
    ]),
  },
  security: [{}, { registryToken: [] }, { registryLogin: [] }],
};

const tagHistory: OperationObject = {
  operationId: "getTagHistory",
  summary: "Get tag history",
  description:
    "Returns the digests that a tag has pointed to, oldest first. The history is kept when the tag is " +
    "deleted. `start` and `end` are inclusive. A date without a time means the whole day. A time without a " +
    "time zone is in UTC. A response has at most 1000 records. If there are more, the `Link` header contains " +
    "the URL of the next records.\n\n" +
    "Pull an older build by its digest: `registry.example.com/{namespace}/{image}@{digest}`.",
  tags: ["TagHistory"],
  parameters: [
    {
      name: "namespace",
      in: "path",
      required: true,
      description:
        "The uid of an organization, the name of a verified organization, or the public namespace.",
      schema: { type: "string" },
      example: "public",
    },
    {
      name: "image",
      in: "path",
      required: true,
      description: "The name of the repository. Write slashes as they are.",
      schema: { type: "string" },
      example: "nginx",
    },
    {
      name: "tag",
      in: "path",
      required: true,
      description:
        "The name of the tag. Without a login, only `latest` and `latest-dev` of public images.",
      schema: { type: "string", pattern: "^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$" },
      example: "latest",
    },
    ...["start", "end"].map((name) => ({
      name,
      in: "query",
      description: `${name === "start" ? "The start" : "The end"} of the time range, in ISO 8601.`,
      schema: { type: "string" },
      example: name === "start" ? "2026-01-01" : "2026-01-31T12:00:00Z",
    })),
  ],
  responses: {
    200: {
      description: "The records, oldest first.",
      headers: {
        link: {
          description:
            'The URL of the next records, with `rel="next"` (RFC 8288). Absent on the last page.',
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
      "NAME_INVALID, TAG_INVALID or QUERY_INVALID: the request cannot be parsed.",
      [
        "TAG_INVALID",
        'a tag must be 1 to 128 letters, digits, dots, underscores and hyphens, and must not begin with a dot or a hyphen; you sent "a b"',
      ],
      ["QUERY_INVALID", "start must not be after end"],
    ),
    401: unauthorized(noHeader),
    403: errors(
      "DENIED: the token is for another image or audience, or you cannot pull this image. The error is the " +
        "same whether or not the image and the tag exist.",
      wrongAudience,
    ),
    404: errors(
      "NAME_UNKNOWN: the repository does not exist. MANIFEST_UNKNOWN: no tag with that name has ever pointed " +
        "to an image.",
      ["NAME_UNKNOWN", "there is no repository public/perl"],
      ["MANIFEST_UNKNOWN", "no image in the repository has ever had the tag 0.1"],
    ),
    ...failures,
  },
  security: [{ registryToken: [] }],
};

const check: OperationObject = {
  operationId: "checkRegistryVersion",
  summary: "Check registry version",
  description:
    "Checks the version, as the OCI distribution specification defines it. Clients use this call to find out whether " +
    "they are logged in. The platform does not serve the images themselves. Paths below `/v2/` that are not in this " +
    "document return UNSUPPORTED.",
  tags: ["RegistryTokens"],
  responses: {
    200: {
      description: "The client is logged in.",
      content: content({ type: "object" }, { example: {} }),
    },
    401: unauthorized(noHeader),
    403: errors("DENIED: the token has another audience.", wrongAudience),
    ...failures,
  },
  security: [{ registryToken: [] }, { registryLogin: [] }],
};

const group = "Registry host";

/** The chapter about the registry host. */
export const registryChapter: Chapter = {
  tags: [
    {
      name: "TagHistory",
      title: "Tag history",
      description: "The history of tags. The paths contain the names from image references.",
      group,
    },
    {
      name: "RegistryTokens",
      title: "Registry tokens",
      description: "Tokens for images, and a check whether a token is valid.",
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
      description:
        "The user `_token`, and an access token for the registry audience as password. At `/token` also the user `oidc`, " +
        "and the token of another issuer as password.",
    },
  },
};
