// Enhances the pages, which also work without it. All texts come from the page.
"use strict";

(() => {
  const POLL = 5000; // Milliseconds between polls without an event stream.
  const POLL_UNSEEN = 15000; // The same while the page is hidden.
  const SILENCE = 40000; // Without a heartbeat for this long (one comes every 15 s), the stream is dead.
  const TIMEOUT = 20000; // Of a request.
  const STAY = 10; // Seconds until a paid page leads back to the store.

  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const announce = (text) => { one("#announcer").textContent = text; };
  let ended = new AbortController(); // Aborted when the current page is replaced.

  // ---- Requests, and drawing the response

  const request = (url, options = {}) => fetch(url, { ...options, signal: AbortSignal.timeout?.(TIMEOUT) });

  function draw(html, url) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const page = one("#page", fresh);
    if (!page) return location.assign(url);
    ended.abort();
    document.title = fresh.title;
    one("#page").replaceWith(document.adoptNode(page));
    if (url && url !== location.href) history.pushState(null, "", url);
    start();
  }

  // A new page: scroll to its top and announce it.
  function arrive() {
    const { announcement, status } = one("main").dataset;
    scrollTo(0, 0);
    one("h1").focus();
    announce(announcement?.replace("{seconds}", STAY) ?? "");
    if (status === "paid") startReturn();
  }

  // Does nothing if another response has drawn the page meanwhile.
  async function refresh(signal) {
    const response = await request(location.href, { headers: { accept: "text/html" } });
    if (!response.ok) throw new Error(response.status);
    const html = await response.text();
    if (signal.aborted) return;
    draw(html, location.href);
    arrive();
  }

  // ---- Forms: sent without leaving the page, so that a lost connection keeps the input

  function enhanceForm(form) {
    form.noValidate = true;
    // Enter in the coupon's field applies the coupon, and doesn't submit the payment.
    one("#coupon_code", form)?.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      form.requestSubmit(one("[value=aplicar-cupom]", form));
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const button = event.submitter;
      if (form.dataset.sending || !ready(form, button)) return;
      const body = new URLSearchParams(new FormData(form));
      if (button?.name) body.set(button.name, button.value);
      if (form.dataset.form) remember(form);
      const restore = busy(form);
      const { signal } = ended;
      try {
        const response = await request(form.action, { method: "POST", body });
        const html = await response.text();
        if (signal.aborted) return; // The event stream was quicker.
        // Only a link's form has its own address.
        draw(html, response.redirected || form.dataset.form ? response.url : "");
        if (one("[data-form]")) settle(button);
        else arrive();
      } catch {
        restore();
        alarm(form, form.dataset.offline ?? "");
      }
    });
  }

  function busy(form) {
    const button = one("[data-pay]", form) ?? one("button", form);
    const label = button.textContent;
    form.dataset.sending = "1";
    button.setAttribute("aria-disabled", "true");
    if (form.dataset.busy) button.textContent = form.dataset.busy;
    return () => {
      delete form.dataset.sending;
      button.removeAttribute("aria-disabled");
      button.textContent = label;
    };
  }

  // After a response with the form: focus the first error, or where the payer was.
  function settle(button) {
    const wrong = one("[aria-invalid=true]");
    const coupon = one(".applied button") ?? one(".coupon[open] input") ?? one(".coupon summary");
    if (wrong) wrong.focus();
    else if (button?.value.endsWith("cupom")) coupon?.focus();
    else one("#alert").scrollIntoView({ block: "center" });
    const removed = button?.value === "remover-cupom" ? one("[data-form]").dataset.removed : "";
    announce(one("#alert:not([hidden])")?.textContent ?? one(".applied p")?.textContent ?? removed);
  }

  function alarm(form, text) {
    const alert = one("[role=alert]", form);
    alert.textContent = text;
    alert.hidden = !text;
  }

  // ---- Validation: each field when the payer leaves it

  // An error that appears while a button is pressed would move the button.
  let pressing = false;
  document.addEventListener("pointerdown", (event) => { pressing = Boolean(event.target.closest("button")); });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { pressing = false; });

  const bare = (text) => text.toUpperCase().replace(/[.\-/\s]/g, "");
  const digits = (text) => text.replace(/\D/g, "");

  // Modulo 11 over ASCII codes less 48: CPF, CNPJ, and the alphanumeric CNPJ.
  function checkDigit(text, highest) {
    let weight = 2;
    let sum = 0;
    for (const character of [...text].reverse()) {
      sum += (character.charCodeAt(0) - 48) * weight;
      weight = weight === highest ? 2 : weight + 1;
    }
    return String(sum % 11 < 2 ? 0 : 11 - (sum % 11));
  }

  function isDocument(text) {
    const value = bare(text);
    const cpf = /^\d{11}$/.test(value);
    if (!cpf && !/^[0-9A-Z]{12}\d{2}$/.test(value)) return false;
    if (/^(.)\1*$/.test(value)) return false;
    const [body, highest] = cpf ? [value.slice(0, 9), 11] : [value.slice(0, 12), 9];
    const first = checkDigit(body, highest);
    return value === body + first + checkDigit(body + first, highest);
  }

  const validators = {
    customer_cpf: isDocument,
    customer_email: (text) => /^[^@\s"(),:;<>[\]\\]+@([^@\s.]+\.)+[^@\s.]{2,}$/.test(text),
    // The server removes prefixes and carrier codes.
    customer_phone: (text) => /^(?!\+(?!55))/.test(text) && /^(0?0?55|0(\d\d)?)?\d{10,11}$/.test(digits(text)),
  };

  function errorOf(input) {
    const text = input.value.trim();
    if (!text) return input.required ? input.dataset.need : "";
    return validators[input.name]?.(text) === false ? input.dataset.bad : "";
  }

  function validate(input) {
    const text = errorOf(input);
    const place = document.getElementById(`${input.id}-error`);
    place.textContent = text;
    place.hidden = !text;
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    return !text;
  }

  function ready(form, button) {
    if (!form.dataset.form || button?.value === "remover-cupom") return true;
    if (button?.value === "aplicar-cupom") return couponTyped();
    const wrong = all("input[aria-describedby]", form).filter((input) => input.name !== "coupon_code" && !validate(input));
    alarm(form, wrong.length ? form.dataset.invalid : "");
    wrong[0]?.focus();
    return !wrong.length;
  }

  function couponTyped() {
    const input = one("#coupon_code");
    input.required = true;
    const fine = validate(input);
    input.required = false;
    if (!fine) input.focus();
    return fine;
  }

  const masks = {
    document(text) {
      const value = bare(text).replace(/[^0-9A-Z]/g, "").slice(0, 14);
      const cpf = /^\d{0,11}$/.test(value);
      return cpf ? grouped(value, [3, 3, 3, 2], "..-") : grouped(value, [2, 3, 3, 4, 2], "../-");
    },
    // Removes Brazil's country code, as the server does. A number that is too long stays as typed: a part of it could be
    // another person's.
    phone(text) {
      if (/^\s*\+(?!55\s*\S)/.test(text)) return text.trim();
      const typed = digits(text.replace(/^\s*\+55/, "")).slice(0, 20);
      const value = typed.length > 11 && typed.startsWith("55") ? typed.slice(2) : typed;
      if (value.length < 3 || value.length > 11) return value;
      const middle = value.length > 10 ? 7 : 6;
      const last = value.slice(middle);
      return `(${value.slice(0, 2)}) ${value.slice(2, middle)}${last && `-${last}`}`;
    },
  };

  function grouped(value, sizes, marks) {
    let at = 0;
    let text = "";
    sizes.forEach((size, index) => {
      const part = value.slice(at, at + size);
      if (part) text += (index ? marks[index - 1] : "") + part;
      at += size;
    });
    return text;
  }

  // Writes the mask; the caret stays behind the same character.
  function mask(input) {
    const write = masks[input.dataset.mask];
    const significant = (text) => text.replace(/[^0-9A-Za-z]/g, "").length;
    const before = significant(input.value.slice(0, input.selectionStart));
    const masked = write(input.value);
    if (masked === input.value) return;
    input.value = masked;
    let caret = 0;
    while (significant(masked.slice(0, caret)) < before && caret < masked.length) caret += 1;
    input.setSelectionRange(caret, caret);
  }

  function enhanceInput(input) {
    if (input.dataset.mask) {
      input.addEventListener("input", () => mask(input));
      if (input.value) mask(input);
    }
    input.addEventListener("blur", () => {
      if (!pressing && (input.value || input.hasAttribute("aria-invalid"))) validate(input);
    });
    input.addEventListener("input", () => { if (input.hasAttribute("aria-invalid")) validate(input); });
  }

  // Few documents have letters: the numeric keyboard comes first, the other one by a button.
  function enhanceKeyboardButton(button) {
    const input = one("#customer_cpf");
    const numeric = (on) => {
      input.inputMode = on ? "numeric" : "text";
      button.setAttribute("aria-pressed", String(!on));
    };
    button.hidden = false;
    numeric(!/[A-Za-z]/.test(input.value));
    button.addEventListener("click", () => {
      numeric(button.getAttribute("aria-pressed") === "true");
      input.focus();
    });
  }

  // The tab stores the payer until the payment, so that a new code after an expired one needs no typing.
  const payerFields = ["customer_name", "customer_cpf", "customer_email", "customer_phone"];

  function remember(form) {
    const data = new FormData(form);
    useStorage((store) => store.setItem("payer", JSON.stringify(payerFields.map((name) => data.get(name)))));
  }

  function recall() {
    const known = useStorage((store) => JSON.parse(store.getItem("payer"))) ?? [];
    payerFields.forEach((name, index) => {
      const input = document.getElementById(name);
      if (!input.value && known[index]) input.value = known[index];
    });
  }

  function useStorage(use) {
    try {
      return use(sessionStorage);
    } catch {
      return null; // Storage is disabled.
    }
  }

  // ---- Copying the code

  function enhanceCopyButton(button) {
    const code = one("#pix-code");
    const label = one("span", button);
    const usual = label.textContent;
    const place = one("#copy-result");
    const confirmed = (on) => {
      label.textContent = on ? button.dataset.copied : usual;
      button.classList.toggle("done", on);
    };
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy(code);
      if (done) button.focus();
      show(place, done ? button.dataset.copy : button.dataset.failed);
      place.classList.toggle("failed", !done);
      confirmed(done);
      setTimeout(confirmed, 4000, false);
    });
    code.addEventListener("focus", () => code.select());
  }

  async function copy(code) {
    try {
      await navigator.clipboard.writeText(code.value);
      return true;
    } catch {
      code.select();
      return document.execCommand("copy"); // Plain http has no clipboard.
    }
  }

  // Shows a text next to the button, and announces it in the live region.
  function show(place, text) {
    place.textContent = text;
    place.hidden = false;
    announce("");
    setTimeout(announce, 50, text);
  }

  // ---- Status of a charge: an event stream, or polls where none arrives

  function follow(main, signal) {
    const address = main.dataset.charge;
    const waits = main.dataset.status === "pending";
    let stream = null;
    let lastMessageAt = 0; // Time of the stream's last message. A proxy may open a stream and buffer it.
    let receivedAny = false;
    let timer = 0;
    let slower = 1;

    const moved = async (status) => {
      away(false);
      if (status === main.dataset.status) return;
      stop();
      await refresh(signal).catch(() => later(POLL));
    };

    const stop = () => {
      stream?.close();
      stream = null;
      clearTimeout(timer);
    };

    const later = (pause) => {
      clearTimeout(timer);
      if (!signal.aborted) timer = setTimeout(poll, pause);
    };

    const listening = () => stream?.readyState === EventSource.OPEN && Date.now() - lastMessageAt < SILENCE;

    const recordMessage = () => {
      lastMessageAt = Date.now();
      receivedAny = true;
    };

    const listen = () => {
      if (!waits || !window.EventSource) return;
      stream?.close();
      stream = new EventSource(`${address}/events`);
      stream.addEventListener("beat", recordMessage);
      stream.addEventListener("status", (event) => {
        recordMessage();
        moved(event.data);
      });
    };

    // True if the server answered, and the status has not changed.
    const poll = async () => {
      if (listening()) return later(POLL);
      let read = false;
      try {
        const response = await request(`${address}/status`);
        if (response.status === 429) return later(1000 * (Number(response.headers.get("retry-after")) || 60));
        if (!response.ok) throw new Error(response.status);
        slower = 1;
        await moved((await response.json()).status);
        read = true;
        if (receivedAny && stream && !listening()) listen();
      } catch {
        away(true);
        slower = Math.min(slower * 1.5, 6);
      }
      if (!signal.aborted) later((document.hidden || !waits ? POLL_UNSEEN : POLL) * slower);
      return read && !signal.aborted;
    };

    const away = (on) => {
      const status = one("#status");
      if (!status) return;
      const text = one("[data-state]", status);
      text.dataset.usual ??= text.textContent;
      status.classList.toggle("away", on);
      text.textContent = on ? main.dataset.offline : text.dataset.usual;
    };

    const back = () => { if (!document.hidden) later(0); };

    listen();
    later(waits ? POLL : POLL_UNSEEN);
    // Back from the bank's app, or on the network: poll at once, even if the stream seems open.
    document.addEventListener("visibilitychange", () => { lastMessageAt = 0; back(); }, { signal });
    addEventListener("pageshow", (event) => { if (event.persisted) { lastMessageAt = 0; back(); } }, { signal });
    addEventListener("online", () => { lastMessageAt = 0; back(); }, { signal });
    addEventListener("offline", () => away(true), { signal });
    signal.addEventListener("abort", stop);
    one("[data-check]")?.addEventListener("click", async (event) => {
      event.preventDefault();
      lastMessageAt = 0;
      const place = one("#check-result");
      if (await poll()) show(place, main.dataset.checked.replace("{time}", new Date().toLocaleTimeString("pt-BR")));
      else if (!signal.aborted) place.hidden = true;
    });
    if (waits) countdown(main, signal, () => { lastMessageAt = 0; later(500); });
  }

  function countdown(main, signal, over) {
    const place = one("[data-countdown]");
    const timer = one("[role=timer]", place);
    const end = Date.now() + 1000 * Number(main.dataset.seconds);
    const due = [300, 60].filter((seconds) => seconds < Number(main.dataset.seconds));
    place.hidden = false;
    const tick = () => {
      const left = Math.max(0, Math.round((end - Date.now()) / 1000));
      timer.textContent = clock(left);
      if (left <= due[0]) warn(main, due.shift());
      if (left) return;
      clearInterval(beat);
      over();
    };
    const beat = setInterval(tick, 1000);
    signal.addEventListener("abort", () => clearInterval(beat));
    tick();
  }

  function warn(main, seconds) {
    const { minutesLeft, minuteLeft } = main.dataset;
    announce(seconds > 60 ? minutesLeft.replace("{minutes}", seconds / 60) : minuteLeft);
  }

  function clock(seconds) {
    const two = (number) => String(number).padStart(2, "0");
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor(seconds / 60) % 60;
    if (hours >= 48) return `${Math.floor(hours / 24)} dias`;
    return hours ? `${hours} h ${two(minutes)} min` : `${two(minutes)}:${two(seconds % 60)}`;
  }

  // ---- After the payment

  // The page leads back to the store, unless the payer presses a button or a key, or touches it.
  function startReturn() {
    const link = one("[data-return]");
    if (!link) return;
    const place = one(".returning");
    let left = STAY;
    const tick = () => {
      one("span", place).textContent = link.dataset.return.replace("{seconds}", left);
      if (left === 0) location.assign(link.href);
      left -= 1;
    };
    const timer = setInterval(tick, 1000);
    const stop = new AbortController();
    const { signal } = stop;
    const stay = () => {
      stop.abort();
      clearInterval(timer);
      if (place.contains(document.activeElement)) one("h1").focus({ preventScroll: true });
      place.style.visibility = "hidden"; // Hidden, not removed, so that nothing below it moves.
      announce(place.dataset.stayed);
    };
    const meant = (event) => { if (!place.contains(event.target) && event.target !== link) stay(); };
    ended.signal.addEventListener("abort", () => { stop.abort(); clearInterval(timer); }, { signal });
    one("button", place).addEventListener("click", stay, { signal });
    for (const act of ["keydown", "pointerdown", "wheel", "click"]) addEventListener(act, meant, { signal, passive: true });
    place.hidden = false;
    tick();
  }

  // ---- Start of a page

  function start() {
    ended = new AbortController();
    const form = one("[data-form]");
    if (form) recall();
    all("[data-swap]").forEach(enhanceForm);
    all("[data-form] input[aria-describedby]").forEach(enhanceInput);
    all("[data-letters]").forEach(enhanceKeyboardButton);
    all("[data-copy]").forEach(enhanceCopyButton);
    all("[data-print]").forEach((button) => {
      button.hidden = false;
      button.addEventListener("click", () => print());
    });
    const main = one("main");
    if (["pending", "under_review", "expired"].includes(main.dataset.status)) follow(main, ended.signal);
    if (["paid", "refunded"].includes(main.dataset.status)) useStorage((store) => store.removeItem("payer"));
  }

  addEventListener("popstate", () => location.reload());
  start();
})();
