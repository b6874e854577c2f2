/** What stands before the operations of the OpenAPI document. */
export const introduction = `The control plane of a container registry: who may pull and push what, what every tag points to and \
has ever pointed to, what is vulnerable, and an event for every change.

Calls carry \`Authorization: Bearer <token>\`: an access token of the issuer, or any OIDC token that is \
exactly an identity's \`claimMatch\` and has the API as its audience.

- **Names.** A \`uid\` is the path of a resource, with slashes: write them as they are or as \`%2F\`.
- **JSON.** Names are camelCase; snake_case is understood too, in queries and bodies. 64-bit integers are \
strings, times are RFC 3339 in UTC with milliseconds. Numbers and booleans are always shown; empty texts, \
lists and objects are left out of answers. Keys that are not known are ignored on create.
- **Lists.** \`pageSize\` rows, by default 50 and at most 200; \`nextPageToken\` is the \`pageToken\` of the \
next page. \`uidp.descendantsOf\` and the other \`uidp\` filters limit the list to a part of the tree; without one it covers everything you may see.
- **Updates.** A PATCH changes what \`updateMask\` names, or without one the keys of its body.
- **Errors.** google.rpc.Status: branch on \`code\` and on \`details\`.
- **Other transports.** The same operations are served over gRPC, gRPC-Web and Connect, by the name \
that each operation shows.

Version 1 stays beside version 2, from the same rows, at the end of this document. Paths and gRPC names \
with \`v2beta1\`, the former name of version 2, are accepted too; they are not listed.

## Against the original's documents

| | The original | This document |
| --- | --- | --- |
| Version of OpenAPI | 3.0.3, a document for each version | 3.1, one document for both versions, sign-in, SCIM and the registry host |
| \`operationId\` | ids of its own | the name of the RPC, \`listRepos\`; of version 1 with the service, \`v1RegistryListRepos\` |
| Names of schemas | names of its own | those of the messages; of version 1 with \`V1\` behind, of bodies with \`Input\` or \`Patch\` |
| Values of an enum | as the original lists them | texts, each described in \`x-enumDescriptions\`, without the one that says nothing (\`…_UNSPECIFIED\`) |
| Bodies | \`*/*\` | \`application/json\`; any other type is read as JSON too |
| \`updateMask\` of a PATCH | not listed | a parameter of the query |
| Lists of messages in a query | not listed, and not readable | repeated keys with JSON, or texts such as \`repo:tag\` |
| Refusals | \`default\` | each status that can come, with examples |
| Paths with a parent | the parent is needed | an organization is created without one |
| Not here, as the specification leaves them out | domains of version 1 | \`/actions\`, \`/apk\`, \`/argos\`, \`/image-recommendation\`, \`/packages\`, \`/policies\`, \`/skills\` |`;
