// The renderer on a Streamlit page: one unseen element brings it, once; each picture asks it to draw (maps_picture.js).
export default function () {
  const shared = (globalThis.attnvizMaps ??= { waiting: [] });
  shared.draw = draw;
  for (const job of shared.waiting.splice(0)) job();
}
