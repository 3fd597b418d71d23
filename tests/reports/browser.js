// Asked of the report inside a frame; the answers go to the page around it.
addEventListener("load", async () => {
  const fragment = @FRAGMENT@;
  const shown = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = (rgb) =>
    rgb.slice(0, 3)
      .map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + [0.2126, 0.7152, 0.0722][i] * c, 0);
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const rgba = channels(getComputedStyle(at).backgroundColor);
      if (rgba.length === 3 || rgba[3] === 1) return rgba;
    }
    return [255, 255, 255];
  };
  const contrast = (e) => {
    const [a, b] = [luminance(channels(getComputedStyle(e).color)), luminance(behind(e))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const folded = document.documentElement.scrollHeight;
  // an examination has no overview
  const box = (e) => (e ? e.getBoundingClientRect() : { top: -1, bottom: -1 });
  const details = box(document.querySelector("#filters"));
  const overview = box(document.querySelector("figure.overview img"));
  const contents = document.querySelector("nav") || {};
  const before = { folded, detailsAt: details.top + scrollY, overviewBottom: overview.bottom,
    overviewTop: overview.top, scheme: getComputedStyle(document.body).backgroundColor };
  let unfolded = null;
  if (fragment) {
    location.hash = fragment;
    await new Promise((done) => setTimeout(done, 300));
    const at = document.getElementById(fragment);
    unfolded = { open: at.closest("details").open, top: at.getBoundingClientRect().top };
    const bar = [...document.querySelectorAll("nav a, a.bar")].find((e) => {
      const box = e.getBoundingClientRect();
      return shown(e) && box.bottom > 0 && box.top < innerHeight;
    });
    unfolded.contentsInSight = Boolean(bar);
  }
  document.querySelectorAll("details").forEach((e) => (e.open = true));
  const pictures = [...document.images];
  await Promise.all(pictures.map((e) => e.decode().catch(() => null)));
  const texts = [...document.querySelectorAll("main *, nav *")].filter(
    (e) => shown(e) && !e.closest("math") && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
  const faint = texts.map((e) => [contrast(e), e.textContent.trim().slice(0, 60), e.className]).filter((x) => x[0] < 4.5);
  const wide = [...document.querySelectorAll("main *")].filter(
    (e) => shown(e) && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .math, pre"));
  const anchors = [...document.querySelectorAll('a[href^="#"]')].map((e) => e.getAttribute("href").slice(1));
  parent.postMessage(JSON.stringify({
    ...before,
    unfolded,
    wrong: window.wrong,
    pictures: pictures.length,
    broken: pictures.filter((e) => !e.naturalWidth).map((e) => e.alt),
    wordless: pictures.filter((e) => !e.alt.trim()).length,
    sideways: document.documentElement.scrollWidth - innerWidth,
    wide: wide.slice(0, 5).map((e) => e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 60)),
    faint: faint.slice(0, 8),
    faintCount: faint.length,
    lost: anchors.filter((id) => !document.getElementById(id)),
    formulas: document.querySelectorAll("math").length,
    smallest: Math.min(...texts.map((e) => parseFloat(getComputedStyle(e).fontSize))),
    screens: innerHeight,
  }), "*");
});
