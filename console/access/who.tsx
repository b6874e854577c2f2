/** The view of a group that shows who can do something there: pull, push, or use any capability. */
import { capabilities as known } from "../../client/capabilities.ts";
import type { Capability, Group } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { capabilityName } from "../elements/capabilities.tsx";
import { CheckFilter } from "../elements/check_filter.tsx";
import { SelectField } from "../elements/fields.tsx";
import { CannotAsk, useMissingToAsk } from "./asking.tsx";
import { CapabilityPicker } from "./capability_picker.tsx";
import { Holders, StateLegend } from "./holders.tsx";

/** Questions that people ask most, and the capabilities that each needs. */
const presets: Record<string, { text: string; capabilities: Capability[] }> = {
  pull: { text: "Pull images", capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] },
  push: { text: "Push images", capabilities: ["CAP_MANIFEST_CREATE", "CAP_TAG_CREATE"] },
  delete: { text: "Delete images", capabilities: ["CAP_MANIFEST_DELETE", "CAP_TAG_DELETE"] },
  access: { text: "Give access to others", capabilities: ["CAP_IAM_ROLE_BINDINGS_CREATE"] },
  see: { text: "See who has access", capabilities: ["CAP_IAM_ROLE_BINDINGS_LIST"] },
};
const any = "any";

export function Who({ group }: { group: Group }) {
  const { get, isOn, set } = useParameters();
  const missing = useMissingToAsk(group.uid);
  const can = get("can") || "pull";
  const chosen = known.find(({ name }) => name === get("capability"))?.value;
  const capabilities = can === any ? (chosen ? [chosen] : []) : (presets[can]?.capabilities ?? []);
  if (missing.length > 0) return <CannotAsk missing={missing} on={group.name} />;
  const options = Object.entries(presets).map(([key, { text }]): [string, string] => [key, text]);
  return (
    <>
      <div class="toolbar access-question">
        <SelectField
          label="Who can"
          value={can}
          options={[...options, [any, "Use a capability…"]]}
          onChange={(value) => set({ can: value })}
        />
        {can === any && (
          <CapabilityPicker
            label="Capability"
            value={chosen}
            onChange={(value) => set({ capability: value && capabilityName(value) })}
          />
        )}
        <CheckFilter label="Only those with access now" name="now" />
      </div>
      {can !== any && (
        <p class="pale">
          It needs {capabilities.map(capabilityName).join(" and ")} on {group.name}.
        </p>
      )}
      {capabilities.length > 0 && (
        <Holders group={group} capabilities={capabilities} isNow={isOn("now")} />
      )}
      <StateLegend />
    </>
  );
}
