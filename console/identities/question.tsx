/** Asks whether an identity has a capability on a resource, and shows why. The question is in the address. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { capabilities, capabilityInfo } from "../../client/capabilities.ts";
import type { Capability } from "../../client/index.ts";
import { useGroupPath } from "../data/group_names.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { isUid, parentOf, rootOf, shortUid } from "../data/uids.ts";
import { Combobox } from "../elements/combobox.tsx";
import { Section } from "../elements/page.tsx";
import { GroupPicker } from "../elements/pickers.tsx";
import { Answer } from "../elements/states.tsx";
import { Explanation } from "./explanation.tsx";
import { isPerson } from "./kinds.ts";

/** What the platform requires of a person who asks about someone else. */
const needed: Capability[] = [
  "CAP_IAM_ROLE_BINDINGS_LIST",
  "CAP_IAM_IDENTITY_LIST",
  "CAP_IAM_ROLES_LIST",
  "CAP_IAM_IDENTITY_PROVIDERS_LIST",
];

interface QuestionProps {
  uid: string;
  name: string;
  /** The group that is asked about first. The default is the group of the identity. */
  place?: string;
}

export function Question({ uid, name, place = parentOf(uid) }: QuestionProps) {
  const { get, set } = useParameters();
  const value = capabilityInfo(get("capability"))?.value;
  const resource = isUid(get("resource")) ? get("resource") : place;
  const { may } = useMay(resource);
  const missing = needed.filter((one) => may(one) === false);
  return (
    <Section title="May it do something?">
      <div class="identities-question">
        <CapabilityPicker
          key={value ?? ""}
          value={value}
          onChange={(capability) => set({ capability })}
        />
        {resource !== "" && (
          <ResourcePicker
            key={resource}
            uid={resource}
            organization={isPerson(uid) ? rootOf(resource) : rootOf(uid)}
            onChange={(next) => set({ resource: next })}
          />
        )}
      </div>
      {missing.length > 0 ? (
        <p class="pale identities-last">
          To ask about this resource, you need{" "}
          {missing.map((one, index) => (
            <span key={one}>
              {index > 0 && ", "}
              <code>{capabilityInfo(one)?.name}</code>
            </span>
          ))}{" "}
          on it.
        </p>
      ) : value !== undefined && resource !== "" ? (
        <Asked uid={uid} name={name} capability={value} resource={resource} />
      ) : (
        <p class="pale identities-last">
          Choose a capability to see whether the identity has it, and why.
        </p>
      )}
    </Section>
  );
}

function ResourcePicker(props: {
  uid: string;
  organization: string;
  onChange: (uid: string) => void;
}) {
  const { uid, organization, onChange } = props;
  const name = useGroupPath(uid).at(-1) ?? shortUid(uid);
  return (
    <GroupPicker
      key={name}
      label="On"
      hint="A group. You can paste the uid of a repository or of another resource."
      group={organization}
      value={{ uid, name }}
      onChange={(choice) => choice && choice.uid !== uid && onChange(choice.uid)}
    />
  );
}

const maxOptions = 12;

function CapabilityPicker(props: {
  value: Capability | undefined;
  onChange: (value: Capability | undefined) => void;
}) {
  const { value, onChange } = props;
  const [text, setText] = useState(capabilityInfo(value ?? "")?.name ?? "");
  const wanted = text.trim().toLowerCase();
  const found = capabilities.filter(
    ({ name, description, isDeprecated }) =>
      !isDeprecated && `${name}\n${description.toLowerCase()}`.includes(wanted),
  );
  return (
    <Combobox
      label="Capability"
      placeholder="repo.list"
      nothing="No capability contains this text."
      text={text}
      onText={setText}
      options={found.slice(0, maxOptions).map((one) => ({
        ...{ value: one.value, text: one.name, detail: one.description },
      }))}
      onChoose={(option) => {
        setText(option.text);
        onChange(capabilityInfo(option.value)?.value);
      }}
    />
  );
}

interface AskedProps {
  uid: string;
  name: string;
  capability: Capability;
  resource: string;
}

function Asked({ uid, name, capability, resource }: AskedProps) {
  const client = useClient();
  const question = { identityUid: uid, capability, resourceUid: resource };
  const answer = useQuery({
    queryKey: ["question", uid, capability, resource],
    queryFn: () => client.access.explainAccess(question),
  });
  return (
    <Answer query={answer} lines={2}>
      {(explanation) => <Explanation uid={uid} name={name} explanation={explanation} />}
    </Answer>
  );
}
