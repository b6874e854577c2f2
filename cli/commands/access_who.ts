/** `platformctl access who`: the rows of ListAccess as a table. */
import { capabilityWord } from "../resources/capabilities.ts";
import { withoutControls } from "../resources/cells.ts";
import { computedColumn as column, type TableColumn } from "../resources/columns.ts";
import type { JsonObject } from "../resources/flags.ts";
import { organizationOf, readNames } from "../resources/names.ts";
import { readIdentityLabels } from "../resources/people.ts";
import { maxPageSize, openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { tableText, tsvText } from "../resources/table.ts";
import { here } from "../surroundings.ts";
import { capabilityOf, resourceUid } from "./access_arguments.ts";
import { type JsonOption, printAnswer } from "./answer.ts";

const rpc = "platform.iam.access.v2.AccessService/ListAccess";

const maxRows = 10_000;

type Options = JsonOption & { group?: string; inactive?: boolean };

/** Shows who has a capability on a resource. */
export async function showWho(
  capability: string,
  resource: string,
  options: Options,
): Promise<void> {
  const name = capabilityOf(capability);
  const platform = await openPlatform();
  const { entries, hidden, names, labels } = await explainFailure(
    { verb: "call", platform },
    async () => {
      const uid = await resourceUid(platform, resource, options.group);
      const request = { resourceUid: uid, capability: name, effectiveOnly: !options.inactive };
      // The rows do not contain the groups that are left out, and the response does.
      const first = await platform.call(rpc, { ...request, pageSize: maxPageSize });
      const { accessEntries = [], hiddenGroupUids = [], nextPageToken: pageToken } = first;
      const rows = accessEntries as JsonObject[];
      const others = pageToken
        ? await platform.rows(rpc, { ...request, pageToken }, maxRows - rows.length)
        : [];
      const entries = [...rows, ...others];
      const hidden = hiddenGroupUids as string[];
      const groups = [...entries.map(({ groupUid }) => String(groupUid)), ...hidden];
      const [names, labels] = await Promise.all([
        readNames(platform, groups),
        readIdentityLabels(
          platform,
          entries.map(({ identityUid }) => String(identityUid ?? "")),
          groups.map(organizationOf),
        ),
      ]);
      return { entries, hidden, names, labels };
    },
  );
  const now = new Date();
  const columns = whoColumns(names, labels, options.inactive === true);
  const note =
    hidden.length > 0
      ? `\nYou cannot see who has roles on ${hidden.map((uid) => withoutControls(names.get(uid) ?? uid)).join(", ")}.`
      : "";
  const empty = `No one that you can see has ${capabilityWord(name)} on ${resource}.`;
  const table =
    entries.length === 0 ? empty : tableText(entries, columns, here().stdout, now).trimEnd();
  const text = here().stdout.isTTY ? `${table}${note}` : tsvText(entries, columns, now).trimEnd();
  if (text !== "" || options.json)
    printAnswer(options, { accessEntries: entries, hiddenGroupUids: hidden }, text);
  if (!here().stdout.isTTY && !options.json && note) here().stderr.write(`${note.trim()}\n`);
}

function whoColumns(
  names: Map<string, string>,
  labels: Map<string, string>,
  hasStates: boolean,
): TableColumn[] {
  const isShort = here().stdout.isTTY;
  const via = ({ inherited, groupUid }: JsonObject) =>
    `${names.get(String(groupUid)) ?? groupUid}${inherited ? " (inherited)" : ""}`;
  return [
    column("who", 0, (row) => labels.get(String(row.identityUid ?? "")) ?? whoOf(row)),
    column("role", 0, ({ roleName }) => String(roleName ?? "")),
    column("on", 1, via),
    ...(hasStates ? [column("state", 2, ({ state }) => stateText(state))] : []),
    ...(isShort ? [] : [column("identity", 3, ({ identityUid }) => String(identityUid ?? ""))]),
    column("binding", 4, (row) =>
      String(row.roleBindingUid || row.externalGroupRoleMappingUid || ""),
    ),
  ];
}

function whoOf(row: JsonObject): string {
  if (row.scimGroupUid) return `SCIM group ${row.scimGroupName}`;
  if (row.externalGroupId) return `external group ${row.externalGroupId}`;
  return String(row.identityName || row.identityUid);
}

const stateText = (state: unknown) =>
  String(state ?? "")
    .replace("ACCESS_STATE_", "")
    .replaceAll("_", " ")
    .toLowerCase();
