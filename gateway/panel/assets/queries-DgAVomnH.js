import{A as e,E as t,T as n}from"./format-Bn0KZV_R.js";import{t as r}from"./useSuspenseQuery-HAcCPZf7.js";import{a as i,r as a}from"./request-CmBGbJcL.js";import{t as o}from"./present-CmSYEtVt.js";import{i as s}from"./session-70aZzD7Z.js";var c=i(`
  query Viewer($test: Boolean!) {
    viewer { role environment isStaff lacksSecondFactor operations store { id name productionStatus timeZone } }
    me { user { id name email } }
    stores { id name timeZone }
    testClock @include(if: $test) { offsetSeconds }
  }
`),l=e({queryKey:[`viewer`],queryFn:async({signal:e})=>{let r=s()?.environment===`test`,{viewer:i,me:l,stores:u,testClock:d}=await a(c,{test:r},{signal:e}),f=d?.offsetSeconds??0;return t(o(i).store.timeZone),n(f),{...o(i),user:o(l).user,stores:o(u),aheadSeconds:f}},staleTime:6e4});function u(){let{data:e}=r(l);return t=>e.operations.includes(t)}export{l as n,u as t};