/** A filter that is on or off. Its state is in the address. */
import { useParameters } from "../data/parameters.ts";
import { CheckField } from "./fields.tsx";

/** `name` is that of the parameter. */
export function CheckFilter({ label, name }: { label: string; name: string }) {
  const { isOn, set } = useParameters();
  return (
    <CheckField
      label={label}
      checked={isOn(name)}
      onChange={(next) => set({ [name]: next ? "1" : "" })}
    />
  );
}
