import{n as e,t}from"./queryOptions-BFVpBpUI.js";import{a as n,r}from"./request-BUwCbifv.js";import{t as i}from"./present-CTrV3vlx.js";import{i as a}from"./session-BsBYVsRd.js";import{E as o,T as s}from"./format-otRkt6Kn.js";var c=n(`
  query Viewer($test: Boolean!) {
    viewer { role environment isStaff lacksSecondFactor operations refused { operation codigo } store { id name productionStatus timeZone } }
    me { user { id name email } }
    stores { id name timeZone }
    testClock @include(if: $test) { offsetSeconds }
  }
`),l=t({queryKey:[`viewer`],queryFn:async({signal:e})=>{let t=a()?.environment===`test`,{viewer:n,me:l,stores:u,testClock:d}=await r(c,{test:t},{signal:e}),f=d?.offsetSeconds??0;return o(i(n).store.timeZone),s(f),{...i(n),user:i(l).user,stores:i(u),aheadSeconds:f}},staleTime:6e4});function u(){let{data:t}=e(l);return e=>t.operations.includes(e)}export{l as n,u as t};