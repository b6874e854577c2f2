/** The operations on SCIM groups (src/iam/scim/groups.ts). Written by hand. */
import { type PathItem, ref } from "../form.ts";
import {
  duplicateGroup,
  groupAnswer,
  groupExample,
  groupNotFound,
  groupVersionHeaders,
  groupVersionMismatch,
  invalidBody,
  invalidGroup,
  newGroupExample,
  scimAnswer,
  scimErrorAnswer,
  storageErrors,
} from "./answers.ts";
import { body, operation, pageParameters, projectionOf, versionOf } from "./operations.ts";

const group = {
  name: "id",
  in: "path",
  required: true,
  description: "The id of the group: the last step of its uid.",
  schema: { type: "string", pattern: "^[0-9a-f]{16}$" },
};

const projection = projectionOf("displayName", "members");
const version = versionOf("group");

const list = scimAnswer("The groups of this page.", ref("schemas", "ScimGroupList"), {
  schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
  totalResults: 1,
  startIndex: 1,
  itemsPerPage: 1,
  Resources: [groupExample],
});

const badFilter = {
  400: scimErrorAnswer(
    "The filter cannot be parsed, or selects members by something else than `value eq`.",
    400,
    "members can only be selected by value eq, joined with and, or",
    "invalidFilter",
  ),
};

const badGroup = { ...invalidBody, 400: invalidGroup };

const groups: PathItem = {
  get: operation(
    "listScimGroups",
    "List groups",
    "Lists the groups that match a filter, page by page.",
    {
      parameters: [
        ...pageParameters(
          "groups",
          'displayName eq "Developers"',
          "A page ends earlier if its groups would have more than 20,000 members together.",
        ),
        ...projection,
      ],
      responses: { 200: list, ...badFilter },
    },
  ),
  post: operation("createScimGroup", "Create group", "Creates a group with its members.", {
    parameters: projection,
    requestBody: body(ref("schemas", "ScimGroupInput"), newGroupExample),
    responses: {
      201: groupAnswer("The group."),
      ...badGroup,
      ...storageErrors,
      409: duplicateGroup,
    },
  }),
};

const search: PathItem = {
  post: operation(
    "searchScimGroups",
    "Search groups",
    "Lists groups. The parameters are in the body, for values that should not be in a URL (RFC 7644 section 3.4.3).",
    {
      requestBody: body(ref("schemas", "ScimSearch"), {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
        filter: 'members.value eq "2b3c4d5e6f708192"',
        count: 10,
      }),
      responses: { 200: list, ...invalidBody, ...badFilter },
    },
  ),
};

const writeErrors = {
  ...badGroup,
  ...storageErrors,
  404: groupNotFound,
  409: duplicateGroup,
  412: groupVersionMismatch,
};

const groupItem: PathItem = {
  get: operation("getScimGroup", "Get group", "Gets a group with its members.", {
    parameters: [group, ...projection],
    responses: {
      200: groupAnswer("The group."),
      304: { description: "The group still has the version in `If-None-Match`." },
      404: groupNotFound,
    },
  }),
  put: operation(
    "replaceScimGroup",
    "Replace group",
    "Replaces the attributes and all members of a group. Those who are no longer members lose the roles of the group " +
      "at their next call.",
    {
      parameters: [group, version, ...projection],
      requestBody: body(ref("schemas", "ScimGroupInput"), newGroupExample),
      responses: { 200: groupAnswer("The group."), ...writeErrors },
    },
  ),
  patch: operation(
    "patchScimGroup",
    "Change group",
    "Adds and removes members, and changes attributes of a group (RFC 7644 section 3.5.2).",
    {
      parameters: [group, version, ...projection],
      requestBody: body(ref("schemas", "ScimPatch"), {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "add", path: "members", value: [{ value: "2b3c4d5e6f708192" }] }],
      }),
      responses: {
        200: groupAnswer("The group, if you send `attributes` or `excludedAttributes`."),
        204: {
          description: "Success. The body is empty.",
          headers: groupVersionHeaders,
        },
        ...writeErrors,
      },
    },
  ),
  delete: operation(
    "deleteScimGroup",
    "Delete group",
    "Deletes a group. Its members lose the roles of the group at their next call.",
    {
      parameters: [group, version],
      responses: {
        204: { description: "Success. The body is empty." },
        ...storageErrors,
        404: groupNotFound,
        412: groupVersionMismatch,
      },
    },
  ),
};

/** The paths of groups. */
export const groupPaths: Record<string, PathItem> = {
  "/scim/v2/{provider}/Groups": groups,
  "/scim/v2/{provider}/Groups/.search": search,
  "/scim/v2/{provider}/Groups/{id}": groupItem,
};
