// Sent with every picture, so it is short: the renderer itself has come with an element of its own.
export default function ({ data, parentElement, setTriggerValue }) {
  const shared = (globalThis.attnvizMaps ??= { waiting: [] });
  const ask = data.given && ((row, column, axes) => setTriggerValue("asked", { row, column, axes, given: data.given }));
  const job = () => shared.draw(parentElement.querySelector(".av-map"), data.figure, { ...data, ask });
  shared.draw ? job() : shared.waiting.push(job);
}
