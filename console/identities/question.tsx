/** Asks whether an identity has a capability on a resource, and shows why. The question is in the address. */
import { useQuery } from "@tanstack/preact-query";
import { capabilities } from "../../client/capabilities.ts";
import type { Capability } from "../../client/index.ts";
import { CannotAsk, useMissingToAsk } from "../access/asking.tsx";
import { CapabilityPicker } from "../access/capability_picker.tsx";
import { Explanation } from "../access/explanation.tsx";
import { useNames } from "../data/names.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { isUid, parentOf, rootOf } from "../data/uids.ts";
import { capabilityName } from "../elements/capabilities.tsx";
import { Section } from "../elements/page.tsx";
import { ResourcePicker } from "../elements/pickers.tsx";
import { Answer } from "../elements/states.tsx";

interface QuestionProps {
  uid: string;
  /** The uid of the group that is asked about first. The default is the group of the identity. */
  group?: string;
}

export function Question({ uid, group = parentOf(uid) }: QuestionProps) {
  const { get, set } = useParameters();
  const capability = capabilities.find(({ name }) => name === get("capability"))?.value;
  const resource = isUid(get("resource")) ? get("resource") : group;
  const name = useNames([resource])(resource);
  const missing = useMissingToAsk(resource);
  return (
    <>
      <Section title="May it do something?">
        <div class="identities-question">
          <CapabilityPicker
            label="Capability"
            hint="Its name, or a word of its description."
            value={capability}
            onChange={(value) => value && set({ capability: capabilityName(value) })}
          />
          <ResourcePicker
            label="On"
            hint="A group or a repository. You can paste the uid of anything else."
            group={rootOf(resource)}
            value={{ uid: resource, name }}
            onChange={(choice) =>
              choice && choice.uid !== resource && set({ resource: choice.uid })
            }
          />
        </div>
        {missing.length > 0 ? (
          <CannotAsk missing={missing} on={name} />
        ) : (
          capability === undefined && (
            <p class="pale identities-last">
              Choose a capability to see whether the identity has it, and why.
            </p>
          )
        )}
      </Section>
      {capability !== undefined && missing.length === 0 && (
        <Asked uid={uid} capability={capability} resource={resource} />
      )}
    </>
  );
}

function Asked(props: { uid: string; capability: Capability; resource: string }) {
  const { uid: identityUid, capability, resource: resourceUid } = props;
  const client = useClient();
  const question = { identityUid, capability, resourceUid };
  const answer = useQuery({
    queryKey: ["explanation", question],
    queryFn: () => client.access.explainAccess(question),
  });
  return (
    <Answer query={answer} lines={3}>
      {(explanation) => <Explanation explanation={explanation} />}
    </Answer>
  );
}
