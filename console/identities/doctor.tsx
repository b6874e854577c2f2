/** The token doctor: says why a token is refused, and which identities accept too much. */
import { useState } from "preact/hooks";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useGroupPath } from "../data/names.ts";
import { useParameters } from "../data/parameters.ts";
import { isUid, rootOf } from "../data/uids.ts";
import { Page, Views } from "../elements/page.tsx";
import { GroupPicker } from "../elements/pickers.tsx";
import { Empty } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { Decoded } from "./decoded.tsx";
import { DoctorAnswer } from "./doctor_answer.tsx";
import { DoctorForm } from "./doctor_form.tsx";
import { GroupWarnings } from "./group_warnings.tsx";
import { readPasted } from "./token_text.ts";
import { type DiagnosisScope, useDiagnosis } from "./use_diagnosis.ts";

export default function TokenDoctor() {
  const { uid: group } = useCurrentGroup();
  const { get, set } = useParameters();
  const { may } = useMay(group);
  const isWarnings = get("view") === "warnings";
  const isRefused =
    may("CAP_IAM_IDENTITY_LIST") === false || may("CAP_IAM_IDENTITY_UPDATE") === false;
  const view = (key: string) => addresses.tokenDoctor(group, undefined, key);
  return (
    <Page
      title="Token doctor"
      path={[["Identities", addresses.identities(group)]]}
      lead="Find out why a token is refused, and which identities accept more than they seem to."
    >
      <Views
        label="Views of the doctor"
        current={view(isWarnings ? "warnings" : "")}
        views={[
          [view(""), "Check a token"],
          [view("warnings"), "Check all identities"],
        ]}
      />
      {isRefused ? (
        <Refused />
      ) : (
        group !== "" && (
          <>
            <GroupField group={group} onChange={(uid) => set({ group: uid, identity: "" })} />
            {isWarnings ? <GroupWarnings group={group} /> : <TokenCheck group={group} />}
          </>
        )
      )}
    </Page>
  );
}

const Refused = () => (
  <Empty title="You cannot use the doctor for this group">
    <p>
      You need the <code>identity.list</code> and <code>identity.update</code> capabilities on the
      group, because the answer shows what its identities accept. Of the built-in roles, only{" "}
      <code>owner</code> has both.
    </p>
  </Empty>
);

function GroupField({ group, onChange }: { group: string; onChange: (uid: string) => void }) {
  const name = useGroupPath(group).at(-1) ?? "";
  return (
    <div class="identities-doctor-group">
      <GroupPicker
        key={`${group} ${name}`}
        label="Group"
        hint="The doctor compares the identities of this group and of all groups below it."
        group={rootOf(group)}
        value={{ uid: group, name }}
        onChange={(choice) => choice && choice.uid !== group && onChange(choice.uid)}
      />
    </div>
  );
}

function TokenCheck({ group }: { group: string }) {
  const { get, isOn, set } = useParameters();
  const [text, setText] = useState("");
  const identity = isUid(get("identity")) ? get("identity") : "";
  const scope: DiagnosisScope = { group, identity, isForAll: isOn("all") };
  const diagnosing = useDiagnosis(scope);
  const pasted = readPasted(text);
  const clear = () => {
    setText("");
    diagnosing.forget();
  };
  return (
    <>
      <div class="identities-doctor">
        <DoctorForm
          text={text}
          pasted={pasted}
          diagnosing={diagnosing}
          identity={identity}
          onText={setText}
          onClear={clear}
          onAllIdentities={() => set({ identity: "" })}
        />
        <Decoded pasted={pasted} />
      </div>
      <DoctorAnswer
        diagnosing={diagnosing}
        scope={scope}
        onAll={(isForAll) => set({ all: isForAll ? "1" : "" })}
      />
    </>
  );
}
